// SPDX-License-Identifier: GPL-2.0-or-later
//
// SiteScript: the site's script for job_submit/lua, qosgate.d/compat/job_submit.lua, ready to be asked about
// jobs. What scripts may use is in contrib/doc/job-submit-lua.md.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/compat/script_run.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/settings.hpp"
#include "qosgate/policy/source_files.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::policy::compat {

/// The name of the script among the files of a policy.
inline constexpr std::string_view script_file_name = "compat/job_submit.lua";

/// What the script did about one job.
struct ScriptOutcome {
    int code = 0; ///< what its function returned, a number of Slurm; 0: the job goes on
    /// Lines for the user, separated by newlines; empty: the script said nothing.
    std::optional<std::string> message;
    std::vector<ScriptLine> lines;   ///< for slurmctld's log
    std::optional<LuaError> failure; ///< why it did not end; the code is then 0
    /// Whether the sender can make it fail so at any time: then it refuses, whatever compat_on_error says.
    bool is_up_to_sender = false;
    /// Whether a failure lets the request go on, whatever compat_on_error says: an operator changes a job
    /// that cannot be read, and its owner must not keep operators from it.
    bool passes_on_failure = false;
    BudgetClock clock; ///< of the job; rules that run next go on with it
};

/// The calls of a script that failed.
struct ScriptFailures {
    std::uint64_t calls = 0; ///< all calls, those that did not fail, too
    std::uint64_t failures = 0;
    std::uint64_t failures_in_a_row = 0; ///< up to the last call
    std::string last;                    ///< why the last one failed; empty: none did
    std::optional<std::chrono::system_clock::time_point> last_at = {};
};

/// One call of the script lasts as long as a rule may, and one runs at a time, as in Slurm's plugin: globals
/// keep their values from call to call. A script that spends its budget begins anew.
/// Threads: internally locked.
class SiteScript {
  public:
    /// Runs the file once, for its functions. `cluster_name` is slurm.CLUSTER_NAME. Errors: invalid_input for
    /// a file that does not compile, fails, returns another number than 0, has no slurm_job_submit, or names
    /// something that reaches the host; limit_exceeded if it does not end. Cost: compiles.
    static Result<std::shared_ptr<SiteScript>> load(std::shared_ptr<const SourceDirectory> sources,
                                                    const Settings& settings, std::string cluster_name);

    /// Calls slurm_job_submit. Cost: at most Settings::rule_time of CPU time, plus waiting for other calls.
    [[nodiscard]] ScriptOutcome submit(ScriptHost& host);
    /// Calls slurm_job_modify for a change of a job; a script without it has no objection. Cost: likewise.
    [[nodiscard]] ScriptOutcome modify(ScriptHost& host);

    /// What the script wrote into slurmctld's log while it was loaded, and what it said to the user then.
    [[nodiscard]] const std::vector<ScriptLine>& lines_of_load() const noexcept { return lines_of_load_; }

    /// Since the script was loaded.
    [[nodiscard]] ScriptFailures failures() const;

    /// Frees spent states and makes one for later. Not for the submit path. Cost: compiles.
    void refill();

    /// Whether a job is accepted if the script fails.
    [[nodiscard]] bool allows_on_error() const noexcept {
        return settings_.compat_on_error == OnError::allow;
    }

    /// Whether it may look at part_list, which depends on the groups of the job's owner.
    [[nodiscard]] bool reads_partitions() const noexcept { return reads_partitions_; }

    /// Whether it starts programs that ask for users and groups.
    [[nodiscard]] bool asks_for_users() const noexcept { return asks_for_users_; }

    /// The fields of jobs to read in the background: all names that its sources mention, if they mention
    /// slurm.jobs, else what slurm_job_modify may read of job_rec and slurmctld's copy does not have.
    /// Null: it reads no jobs.
    using Names = std::set<std::string, std::less<>>;
    [[nodiscard]] const std::shared_ptr<const Names>& fields_of_jobs() const noexcept {
        return fields_of_jobs_;
    }

    /// What the user reads if a failure refuses the job.
    [[nodiscard]] std::string describe_failure(const LuaError& failure) const;

    /// Those that it was loaded with.
    [[nodiscard]] const Settings& settings() const noexcept { return settings_; }

  private:
    using State = std::unique_ptr<LuaState>;

    SiteScript(std::shared_ptr<const SourceDirectory> sources, const Settings& settings,
               std::string cluster_name);

    /// A state with the script loaded. With a clock, in the time of a job. `lines` gets what it logged; null:
    /// nobody does.
    [[nodiscard]] Result<State> make_state(const BudgetClock* clock = nullptr,
                                           std::vector<ScriptLine>* lines = nullptr) const;
    struct Function;
    ScriptOutcome call(ScriptHost& host, const Function& function);
    ScriptOutcome call_locked(ScriptHost& host, const Function& function);
    void count(const ScriptOutcome& outcome);
    /// Makes state_ usable if it is not. Errors: as make_state.
    Result<void> prepare(BudgetClock& clock);

    const std::shared_ptr<const SourceDirectory> sources_;
    const Settings settings_;
    const std::string cluster_name_;
    const ScriptFiles files_;
    const bool asks_for_users_;
    const bool reads_partitions_;
    const std::shared_ptr<const Names> fields_of_jobs_;
    std::vector<ScriptLine> lines_of_load_; ///< of load(); it does not change then

    std::mutex mutex_; ///< guards what follows
    State state_;      ///< the one with the script's globals; null: it is spent
    std::int64_t module_credit_ = ScriptRun::full_module_credit; ///< that the state has left
    State spare_;
    State spent_;

    mutable std::mutex failures_mutex_; ///< never held while the script runs
    ScriptFailures failures_;           ///< guarded by failures_mutex_
};

} // namespace qg::policy::compat
