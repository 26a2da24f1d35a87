// SPDX-License-Identifier: GPL-2.0-or-later
//
// Controller: what the plugin has in slurmctld for all requests.
#pragma once

#include "cluster/cluster_snapshot.hpp"
#include "cluster/job_snapshot.hpp"
#include "controller/candidate_runs.hpp"
#include "controller/controller_script_host.hpp"
#include "controller/het_submission.hpp"
#include "controller/job_copy.hpp"
#include "controller/job_files.hpp"
#include "controller/job_owners.hpp"
#include "host/time_allowance.hpp"
#include "qosgate/gate/gate.hpp"
#include "qosgate/policy/store.hpp"
#include "records/controller_quota.hpp"
#include "records/user_table.hpp"
#include "report/decision_results.hpp"
#include "report/recorder.hpp"
#include "report/status_report.hpp"

#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>

namespace qg::plugin {

/// The kept copy of the policy in force.
std::filesystem::path kept_policy_file();

/// Whether slurm.conf names more than one controller.
bool has_backups();

/// Threads: each part is safe; requests come from any number of threads (slurmctld uses several from 23.02
/// on).
struct Controller {
    /// `manager` has slurmctld's records, or why they are not found.
    explicit Controller(const Result<AssocMgr>& manager);

    /// The cluster as it is known at this moment.
    [[nodiscard]] gate::KnownCluster known_cluster(const ClusterNow& now) const;
    /// What scripts see beside the job. Ownership: borrows `now`.
    [[nodiscard]] ScriptWorld script_world(const ClusterNow& now) { return {quota, users, script_jobs, now}; }
    /// Asks for the jobs that the script in force, or the candidate's, mentions to be read. `candidate` may
    /// be null.
    void want_jobs(const policy::Policy& policy, const policy::Policy* candidate);
    /// Whether the site's rules are not known and this user must wait for them.
    [[nodiscard]] bool is_kept_out(std::uint32_t submit_uid) const {
        return policies.is_closed() && !quota.is_operator(submit_uid);
    }
    /// Whether slurmctld will let this user change the job. Other users learn nothing about it.
    [[nodiscard]] bool may_change(std::uint32_t user_id, const job_desc_msg_t& job) const;
    void count(const model::Decision& decision, bool is_change, std::chrono::steady_clock::duration took) {
        counts.count(decision, is_change);
        results.count(decision, took);
    }

    policy::PolicyStore policies;
    ClusterSnapshot cluster;
    ControllerQuota quota;
    UserTable users;
    JobSnapshot script_jobs;
    gate::Gate gate;
    JobCopier jobs;
    JobFiles job_files;
    JobOwners owners;                                       ///< of jobs that were copied
    TimeAllowance parts_allowance{std::chrono::seconds(1)}; ///< for parts of jobs, in CPU time, by the sender
    TimeAllowance change_allowance; ///< for changes of jobs, by the user who pays for them
    HetSubmission het_submission;
    DecisionCounts counts;
    DecisionResults results;
    CandidateRuns candidate_runs;
    const std::time_t started_at = std::time(nullptr);
    Recorder recorder{started_at};
};

} // namespace qg::plugin
