// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runtime: joins the plugin's parts, and takes each submission through them.
//
// What the plugin does if it fails itself (a bug, no memory): without rules it changes nothing, as in level
// `explain`, because slurmctld still applies every limit. If a rule in force enforces and denies on errors,
// the plugin refuses the job: with such a rule the site wants no job to pass unchecked. If there are rules
// but none was ever loaded, only jobs of root, SlurmUser and operators are accepted.
#pragma once

#include "cluster/cluster_snapshot.hpp"
#include "cluster/job_snapshot.hpp"
#include "controller/candidate_runs.hpp"
#include "controller/candidate_trial.hpp"
#include "controller/controller_script_host.hpp"
#include "controller/het_submission.hpp"
#include "controller/job_copy.hpp"
#include "controller/job_files.hpp"
#include "controller/job_owners.hpp"
#include "controller/script_call.hpp"
#include "controller/script_effect.hpp"
#include "host/time_allowance.hpp"
#include "qosgate/gate/gate.hpp"
#include "qosgate/policy/store.hpp"
#include "records/controller_quota.hpp"
#include "records/untracked_tres.hpp"
#include "records/user_table.hpp"
#include "report/recorder.hpp"
#include "report/status_file.hpp"
#include "report/status_report.hpp"

#include <slurm/slurm.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace qg::plugin {

/// Threads: submit() and modify() from any number of threads (slurmctld uses several from 23.02 on).
class Runtime {
  public:
    /// Looks up slurmctld's symbols and loads the policy. Missing symbols are logged; the plugin works
    /// without them.
    Runtime();

    /// Judges a new job; writes what rules changed back. Returns a Slurm error code, 0 to go on.
    int submit(job_desc_msg_t& description, std::uint32_t submit_uid, char** err_msg);

    /// Judges a change of a job. `err_msg` is null before 23.02: the user sees no message. Then a change is
    /// judged only if the gate may refuse it.
    int modify(job_desc_msg_t& update, job_record* job, std::uint32_t submit_uid, char** err_msg);

    /// The answer if submit() or modify() threw, see above.
    int failed(char** err_msg);

    /// Ends all threads; waits for them for a short time.
    void stop();

  private:
    explicit Runtime(const Result<AssocMgr>& manager);
    void start_policies(const std::filesystem::path& directory);
    /// submit() once the site's rules are known. `decided` is called when the policy in force has decided,
    /// before a candidate is tried, unless the script refuses the job.
    template <typename Decided>
    int submit_job(job_desc_msg_t& description, std::uint32_t submit_uid, char** err_msg, Decided decided);
    /// The same for a part of a heterogeneous job. One request has up to 128, and any user may send it:
    /// together they take no more than an allowance.
    int submit_part(job_desc_msg_t& description, std::uint32_t submit_uid, char** err_msg);
    /// Refuses a job that nobody judges, with these words.
    int refuse(const job_desc_msg_t& job, std::uint32_t submit_uid, char** err_msg, std::string why);
    /// A new job, or a change of one, as slurmctld hands it over. Ownership: borrows.
    struct Asked {
        job_desc_msg_t& description; ///< of a change: what it sets
        std::uint32_t submit_uid;
        char** err_msg;
        CandidateTrial* trial;     ///< null: there is no candidate
        job_record* job = nullptr; ///< of a change
    };
    /// Runs the site's script for job_submit/lua, which may change the description. Returns a Slurm error
    /// code, 0 to go on; then `time` gets its time, and `effect` what the script did, if it did something.
    int run_script(const policy::Policy& policy, const ClusterNow& now, const Asked& asked, ScriptTime& time,
                   std::unique_ptr<ScriptEffect>& effect);
    /// The same for a change of a job; `effect` gets the time, too.
    int run_script_at_change(const policy::Policy& policy, const Asked& asked, ScriptEffect& effect);
    /// What scripts see beside the job.
    [[nodiscard]] ScriptWorld script_world(const ClusterNow& now) {
        return {quota_, users_, script_jobs_, now};
    }
    /// Asks for the jobs that the script in force, or the candidate's, mentions to be read.
    void want_jobs(const policy::Policy& policy, const policy::Policy* candidate);
    /// Ends a change that only the script looked at, and accepted. Returns 0.
    int pass_change(ScriptEffect& effect, std::optional<std::uint32_t> files_id, const Asked& asked);
    /// Counts the decision, and records it if there is a job. `of_script` may be null; else prepend_script()
    /// was called.
    void conclude(const Recording& recording, model::Decision& decision, const gate::RecordedJob* job,
                  bool is_change, const ScriptEffect* of_script);
    /// The same. Takes out of the message what the script said, which the user has read.
    void conclude_after_script(const Recording& recording, model::Decision& decision,
                               const gate::RecordedJob* job, bool is_change, const ScriptEffect& effect);
    /// Counts a decision that is not recorded.
    void count(const model::Decision& decision, bool is_change, std::chrono::steady_clock::time_point begin);
    /// Passes on what the script says to the user and into the log.
    void pass_on_lines(const policy::compat::ScriptOutcome& outcome, char** err_msg) const;
    /// Counts and records the refusal of a script, and passes it on. Returns its code.
    int end_with_script(const Recording& recording, const gate::RecordedJob* job, bool is_change,
                        const ScriptCall& call, model::Decision& decision, char** err_msg);

    /// Lets the candidate decide about a new job, too. What it does, and whether it can, changes nothing.
    void try_job(CandidateTrial& trial, const ClusterNow& now, const model::JobRequest& request,
                 const model::Decision& decided) noexcept;
    /// The same for a job that the script in force refused, which is the `het_offset`th of a heterogeneous
    /// one.
    void try_refused_job(CandidateTrial& trial, const ClusterNow& now, std::uint32_t het_offset,
                         const model::JobRequest& request, const model::Decision& decided) noexcept;
    /// The same for a change. `job` is the job before it, `after` the one after it.
    void try_change(const Asked& asked, const ClusterNow& now, job_desc_msg_t& job,
                    const model::JobRequest& after, const model::Decision& decided, bool is_judged) noexcept;
    /// The same for a change that the policy in force passes without judging it. Records it if the candidate
    /// would not; what the script did, if it did something, is recorded by pass_change(). `of_script` may be
    /// null.
    void try_passed_change(const policy::Policy& policy, const Asked& asked,
                           const ScriptEffect* of_script) noexcept;
    /// As copy_job(), but in the time of the candidate. Null also if slurmctld would log something.
    JobCopy copy_for_trial(const Asked& asked, std::optional<std::uint32_t> files_id);

    /// The cluster as it is known at this moment.
    [[nodiscard]] gate::KnownCluster known_cluster(const ClusterNow& now) const;
    /// Whether the site's rules are not known and this user must wait for them.
    [[nodiscard]] bool is_kept_out(std::uint32_t submit_uid) const;
    /// Whether slurmctld will let this user change the job. Other users learn nothing about it.
    [[nodiscard]] bool may_change(std::uint32_t user_id, const job_desc_msg_t& job) const;
    int keep_out(const job_desc_msg_t& job, std::uint32_t submit_uid, char** err_msg);
    int answer(const model::Decision& decision, char** err_msg) const;
    /// Why the job is not read: its environment is too large, its owner has spent the allowance, or the
    /// requester has spent it (by changes that took long to check, by changes of jobs whose owner was not
    /// known, or by attempts to change other users' jobs). Empty: it is read.
    [[nodiscard]] std::string_view why_not_copied(std::optional<std::uint32_t> files_id,
                                                  std::uint32_t submit_uid, bool by_operator) const;
    /// The present job; null if slurmctld offers no copies. The time counts against the allowance of the
    /// job's owner, who made its environment. If the requester may not change the job, it counts against the
    /// requester; if the owner was not known before, against both.
    JobCopy copy_job(job_record* job, std::optional<std::uint32_t> files_id, std::uint32_t submit_uid,
                     bool by_operator);
    void start_status(StatusFile::Paths paths);
    /// The content of the status file; empty while another controller is active. Logs the start, and tells
    /// the policy's store when slurmctld serves.
    StatusFile::Text describe_status();
    /// Empty: there is no script in force. `candidate` may be null.
    std::optional<ScriptStatus> describe_script(const policy::Policy& policy,
                                                const policy::Policy* candidate);
    /// Looks for the groups in AllowGroups, so that they are known when a job comes. False: there are none.
    bool look_for_partition_groups() const;
    /// Starts the questions to the directory service if the policy, or its candidate, which may be null, asks
    /// for users. Empty: neither does.
    std::optional<UsersStatus> describe_users(const policy::Policy& policy, const policy::Policy* candidate);

    policy::PolicyStore policies_;
    ClusterSnapshot cluster_;
    ControllerQuota quota_;
    UserTable users_;
    JobSnapshot script_jobs_{options_in_slurmctld(cluster_.is_read())};
    std::shared_ptr<UntrackedTresWatch> untracked_tres_; ///< with the status file's thread
    gate::Gate gate_;
    JobCopier jobs_;
    JobFiles job_files_;
    JobOwners owners_; ///< of jobs that were copied
    TimeAllowance parts_allowance_{
        std::chrono::seconds(1)};    ///< for parts of jobs, in CPU time, by the sender
    TimeAllowance change_allowance_; ///< for changes of jobs, by the user who pays for them
    HetSubmission het_submission_;
    DecisionCounts counts_;
    DecisionResults results_;
    CandidateRuns candidate_runs_;
    std::string job_submit_plugins_; ///< of slurm.conf, when this was made
    bool has_backups_ = false;       ///< slurm.conf named several controllers then
    const std::time_t started_at_ = std::time(nullptr);
    Recorder recorder_{started_at_};
    // Only the status file's thread uses these.
    bool has_said_hello_ = false;
    std::set<std::string> said_problems_; ///< of slurm.conf; each is logged once
    bool has_served_ = false;             ///< slurmctld answered, and the policy's store knows
    StatusFile status_;
};

/// The one runtime, made by start_runtime(). It is never destroyed at exit: slurmctld ends by exit() while
/// its own threads and the plugin's still run.
Runtime& runtime();

/// Makes the runtime, or a new one if it was stopped before in this process.
void start_runtime();

/// Stops the runtime's threads and destroys it. No entry point may be running.
void stop_runtime();

} // namespace qg::plugin
