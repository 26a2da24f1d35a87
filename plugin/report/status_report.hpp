// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `qosgate status` shows: the plugin's state as one JSON object. plugin/report/status_file.hpp writes
// it.
#pragma once

#include "cluster/job_snapshot.hpp"
#include "controller/candidate_runs.hpp"
#include "qosgate/base/json_text.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/decision.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/policy/store.hpp"
#include "report/decision_results.hpp"
#include "report/record_file.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::plugin {

/// The settings in slurm.conf that decide whether the plugin can work.
/// Ownership: borrows.
struct HostSettings {
    std::string_view job_submit_plugins;
    /// AccountingStorageEnforce; empty: not known, or slurmctld has no slurmdbd and so no limits.
    std::optional<model::Enforce> enforced = {};
    /// QOSs with a limit on a TRES that AccountingStorageTRES lacks.
    std::span<const std::string> qos_with_untracked_tres = {};
};

/// The settings that prevent the plugin's work, one sentence each, with the cure.
std::vector<std::string> find_conf_problems(const HostSettings& host, policy::Level limits);

/// The number of decisions of each kind since the start.
/// Threads: any.
class DecisionCounts {
  public:
    void count(const model::Decision& decision, bool is_change) noexcept;
    [[nodiscard]] json::Members to_json() const;

  private:
    std::atomic<std::uint64_t> jobs_ = 0;
    std::atomic<std::uint64_t> changes_ = 0;      ///< of jobs, by scontrol update
    std::atomic<std::uint64_t> refused_ = 0;      ///< by the plugin
    std::atomic<std::uint64_t> written_ = 0;      ///< jobs that rules changed
    std::atomic<std::uint64_t> with_message_ = 0; ///< with a message of the plugin for the user
    std::atomic<std::uint64_t> failed_ = 0;       ///< in which a rule failed
};

/// The script for job_submit/lua.
struct ScriptStatus {
    policy::compat::ScriptFailures failures;
    std::optional<JobSnapshotStatus> jobs = {}; ///< empty: it reads no jobs
};

/// What is known of users, for scripts and rules that ask for them.
struct UsersStatus {
    std::size_t count = 0;
    std::optional<std::time_t> read_at = {};
    std::string error = {}; ///< why the directory service does not tell all; empty: it does
};

/// All data of the report.
/// Ownership: borrows.
struct StatusReport {
    std::time_t started_at;
    const policy::StoreStatus& policy;
    policy::Level limits; ///< of the policy in force
    std::optional<std::time_t> partitions_read_at;
    const std::string& partitions_error; ///< why they cannot be read now; empty: they can
    const DecisionCounts& counts;
    const std::vector<std::string>& conf_problems; ///< see find_conf_problems()
    const RecordCounts& records;
    std::span<const policy::FailingRule> failing_rules = {}; ///< of the policy in force
    CandidateCounts candidate = {};
    const ScriptStatus* script = nullptr;     ///< null: there is none
    const UsersStatus* users = nullptr;       ///< null: nothing asks for users
    const DecisionResults* results = nullptr; ///< null: they are not counted

    [[nodiscard]] json::Members to_json() const;
    /// The line for the log at a start.
    [[nodiscard]] std::string to_line() const;
};

} // namespace qg::plugin
