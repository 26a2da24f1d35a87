// SPDX-License-Identifier: GPL-2.0-or-later
//
// fields: the meaning of `job.<name>` in a rule. One table (job_fields) has the rows of model::job_fields,
// and how each is read and written. Bindings, messages and contrib/doc/rules-view.md follow this table.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/job_field.hpp"
#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/policy/value.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace qg::policy {

// ---- fields whose text is a list, to which rules add with job:add --------------------------------------

using model::ListForm;

/// Takes the first part off a list, which is not empty. Parts end at one of the separators; blanks around
/// them are left out.
std::string_view take_part(std::string_view& list, std::string_view separators) noexcept;

inline constexpr std::size_t max_added_part = 1024; ///< bytes

/// The list with one more part that must hold, too; as it was if it has the part. Features with alternatives
/// get parentheses: "(a|b)&c".
/// Errors: invalid_input for a part that is empty, longer than max_added_part, or has a blank, a control
/// character or a separator; and for a list to which nothing can be added so that both hold: features with
/// counts or brackets, dependencies of which one suffices, licenses with alternatives.
Result<std::string> add_to_list(std::string_view list, std::string_view part, ListForm form);

using model::FieldType;

/// What a field is read from.
struct FieldSource {
    const model::JobRequest& request;
    const RuleInput& facts;
};

/// What a field is read from besides the request.
enum class FieldBasis : std::uint8_t {
    request,     ///< nothing
    job_default, ///< the job's default, if the request does not set the field
    counts,      ///< the counts of the job
};

/// How a field is read and written.
struct FieldFunctions {
    /// The request's own value, or its default, or nil. Sets `error` if there is no answer.
    Value (*read)(const FieldSource& source, ErrorText& error) noexcept = nullptr;
    /// Null: read-only. Errors: invalid_input, naming what is allowed (not the field).
    Result<void> (*write)(model::JobRequest& request, const Value& value) = nullptr;
    /// Null: a request has no such field.
    bool (*is_set)(const model::JobRequest& request) noexcept = nullptr;
    /// Sets a field that rules only read. Errors: as of `write`. Null: it is no field of a request alone.
    Result<void> (*restore)(model::JobRequest& request, const Value& value) = nullptr;
    FieldBasis basis = FieldBasis::request;
};

/// One line of the table of fields. The functions come first: each job calls them.
struct FieldSpec : FieldFunctions, model::JobField {
    /// Whether it is one of JobRequest::details, which most rules leave alone.
    [[nodiscard]] bool is_detail() const noexcept { return std::holds_alternative<model::JobDetail>(member); }
    /// Whether the field is read from more than the request.
    [[nodiscard]] bool reads_facts(const model::JobRequest& request) const noexcept {
        return basis == FieldBasis::counts || (basis == FieldBasis::job_default && !is_set(request));
    }
};

/// For reading what a request itself sets: nothing else is known.
const RuleInput& no_facts() noexcept;

/// All fields, in the order they are documented.
std::span<const FieldSpec> job_fields() noexcept;

/// The field of this name; null: there is none.
const FieldSpec* find_job_field(std::string_view name) noexcept;

/// The count of one TRES of the catalogue. Sets `error` if it is not known.
Value read_tres_count(const FieldSource& source, std::size_t index, ErrorText& error) noexcept;

/// Writes one field. Errors: invalid_input, naming the field, what was given and what is allowed.
Result<void> write_field(const FieldSpec& field, model::JobRequest& request, const Value& value);

/// The same of any field, for tests of rules and for decisions of the past. Empty values unset it. False: it
/// is no field of a request alone, such as a count or `uid`.
Result<bool> set_field(model::JobRequest& request, const FieldSpec& field, const Value& value);

/// The changes from `before` to `after` by a rule or a script: "qos: normal -> debug", one text per field.
std::vector<std::string> describe_changes(const model::JobRequest& before, const model::JobRequest& after,
                                          const RuleInput& facts);

/// The same of two requests that were read from different places, for example from two copies of a job
/// description: their details are compared, too, but of the environment only what rules wrote.
std::vector<std::string> describe_differences(const model::JobRequest& before,
                                              const model::JobRequest& after);

/// The fields with a noun that differ between `before` and `after`.
std::vector<const FieldSpec*> changed_by_rule(const model::JobRequest& before, const model::JobRequest& after,
                                              const RuleInput& facts);

/// "QOS small", "no QOS": the request's own value.
std::string describe_field(const FieldSpec& field, const model::JobRequest& request, const RuleInput& facts);

/// Why no request sets a field whose is_set is null: ": it is counted from …".
const char* why_no_request(const FieldSpec& field) noexcept;

/// A field for which Slurm and job_submit.lua have another name than rules.
struct SlurmName {
    std::string name;    ///< Slurm's
    std::string instead; ///< what to write: "job.excluded_nodes"
};

/// All of them. contrib/doc/job-submit-lua.md has the same rows.
std::vector<SlurmName> slurm_names();

/// "unknown field 'qoss' of job; did you mean qos? (all names: ...)"; of a name of job_submit.lua, what to
/// write instead. `object` is "job" or "before".
std::string describe_unknown_field(std::string_view name, std::string_view object = "job");

} // namespace qg::policy
