// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a script for job_submit/lua sees of slurmctld while one of its functions runs: the job description,
// which it reads and writes in Slurm's own numbers, and the records of the cluster.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/directory.hpp"
#include "qosgate/model/script_value.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/lua_state.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace qg::policy::compat {

/// The lists of a job description.
enum class WordList : std::uint8_t { argv, spank_job_env };

/// What a field of a job description takes.
enum class FieldType : std::uint8_t { unknown, text, number };

/// A job description. Errors: no function throws. Ownership: texts are borrowed until the next write.
class ScriptJob {
  public:
    /// Nothing for an unknown name, too. Sets `error` if there is no answer.
    [[nodiscard]] virtual model::ScriptValue read(std::string_view field, ErrorText& error) noexcept = 0;
    /// What a script may write; unknown: nothing.
    [[nodiscard]] virtual FieldType type_of(std::string_view field) const noexcept = 0;
    /// The value has the field's type. An empty text clears the field.
    virtual void write(std::string_view field, const model::ScriptValue& value,
                       ErrorText& error) noexcept = 0;

    /// How many words the list has.
    [[nodiscard]] virtual std::size_t count(WordList list) const noexcept = 0;
    /// Nothing for a word that is null.
    [[nodiscard]] virtual model::ScriptValue word(WordList list, std::size_t index) const noexcept = 0;

    /// Only sbatch sends an environment.
    [[nodiscard]] virtual bool has_environment() const noexcept = 0;
    // An environment may have millions of variables: the search takes instructions from the budget for each
    // one that it looks at, and ends without an answer when the budget is spent.
    [[nodiscard]] virtual model::ScriptValue variable(std::string_view name,
                                                      Budget& budget) const noexcept = 0;
    virtual void set_variable(std::string_view name, std::string_view value, Budget& budget,
                              ErrorText& error) noexcept = 0;

  protected:
    ~ScriptJob() = default;
};

/// Errors: a Result tells why something is not known; nothing else throws but std::bad_alloc.
/// Ownership: what a function returns lives as long as the object.
class ScriptHost {
  public:
    ScriptHost() = default;
    ScriptHost(const ScriptHost&) = delete;
    ScriptHost& operator=(const ScriptHost&) = delete;
    virtual ~ScriptHost() = default;

    [[nodiscard]] virtual ScriptJob& job() = 0;
    /// The job before a change, as job_rec shows it. Errors: also if this is a submission.
    [[nodiscard]] virtual Result<ScriptJob*> record() = 0;
    [[nodiscard]] virtual std::uint32_t submit_uid() const = 0;
    /// The cluster's partitions.
    [[nodiscard]] virtual Result<const model::ScriptRecords*> partitions() = 0;
    /// Whether the job's owner may use one of them. Errors: also if the owner's groups are not known yet.
    [[nodiscard]] virtual Result<bool> may_use(const model::ScriptRecords& partitions, std::size_t index) = 0;
    /// A user of the directory service; null: there is none. Errors: also if it is not known yet.
    [[nodiscard]] virtual Result<std::shared_ptr<const model::DirectoryUser>>
    find_user(std::string_view name) = 0;
    [[nodiscard]] virtual Result<std::shared_ptr<const model::DirectoryUser>> find_user(std::uint32_t id) = 0;
    /// The login name of a user; empty: there is none. Errors: likewise.
    [[nodiscard]] virtual Result<std::string> find_user_name(std::uint32_t id) = 0;
    [[nodiscard]] virtual Result<std::shared_ptr<const model::DirectoryGroup>>
    find_group(std::string_view name) = 0;
    /// slurm.jobs and slurm.reservations.
    [[nodiscard]] virtual Result<const model::ScriptRecords*> jobs() = 0;
    [[nodiscard]] virtual Result<const model::ScriptRecords*> reservations() = 0;
    /// The priority of a QOS; empty: there is none of that name.
    [[nodiscard]] virtual Result<std::optional<double>> qos_priority(std::string_view name) = 0;
};

} // namespace qg::policy::compat
