// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runtime: joins the plugin's parts, and takes each submission through them.
//
// What the plugin does if it fails itself (a bug, no memory): without rules it changes nothing, as in level
// `explain`, because slurmctld still applies every limit. If a rule in force enforces and denies on errors,
// the plugin refuses the job: with such a rule the site wants no job to pass unchecked. If there are rules
// but none was ever loaded, only jobs of root, SlurmUser and operators are accepted.
#pragma once

#include "controller/controller.hpp"
#include "records/untracked_tres.hpp"
#include "report/status_file.hpp"
#include "report/status_report.hpp"

#include <slurm/slurm.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>

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
    /// A part of a heterogeneous job. One request has up to 128, and any user may send it: together they take
    /// no more than an allowance.
    int submit_part(job_desc_msg_t& description, std::uint32_t submit_uid, char** err_msg);
    /// Refuses a new job because the site's rules are not known.
    int keep_out(const job_desc_msg_t& job, std::uint32_t submit_uid, char** err_msg);
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

    Controller controller_;
    std::shared_ptr<UntrackedTresWatch> untracked_tres_; ///< with the status file's thread
    std::string job_submit_plugins_;                     ///< of slurm.conf, when this was made
    bool has_backups_ = false;                           ///< slurm.conf named several controllers then
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
