// SPDX-License-Identifier: GPL-2.0-or-later
//
// fields: what `job.<name>` is in a rule. One table (job_fields) holds each field's name, type, whether it
// can be written, what it means, and how it is read and written; bindings, messages and lua/README.md follow
// it.
#pragma once

#include "qosgate/model/job_request.hpp"
#include "qosgate/policy/lua_state.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/policy/value.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

enum class FieldType : std::uint8_t {
    text,
    count,   ///< a whole number
    minutes, ///< a whole number, math.huge for "no limit"; written also as "8:00:00"
    flag,    ///< true or false
    tres,    ///< a table of counts by TRES name
};

/// What a field is read from.
struct FieldSource {
    const model::JobRequest& request;
    const JobFacts& facts;
};

/// One line of the table of fields.
struct FieldSpec {
    std::string_view name;
    FieldType type;
    std::string_view description;

    /// The request's own value, or what it resolves to, or nothing. Sets `error` where there is no answer.
    Value (*read)(const FieldSource& source, ErrorText& error) noexcept;
    /// Null: read-only. Errors: invalid_input, naming what is allowed (not the field).
    Result<void> (*write)(model::JobRequest& request, const Value& value) = nullptr;
    /// Null: not a field that a request carries.
    bool (*is_set)(const model::JobRequest& request) noexcept = nullptr;
};

/// All fields, in the order they are documented.
std::span<const FieldSpec> job_fields() noexcept;

/// The count of one TRES of the catalogue. Sets `error` where it is not known.
Value read_tres_count(const FieldSource& source, std::size_t index, ErrorText& error) noexcept;

/// Writes one field. Errors: invalid_input, naming the field, what was given and what is allowed.
Result<void> write_field(const FieldSpec& field, model::JobRequest& request, const Value& value);

/// What the rule that turned `before` into `after` changed: "qos: normal -> debug", one text per field.
std::vector<std::string> describe_changes(const model::JobRequest& before, const model::JobRequest& after,
                                          const JobFacts& facts);

/// "unknown field 'qoss' of job; did you mean qos? (there are: ...)"
std::string describe_unknown_field(std::string_view name);

} // namespace qg::policy
