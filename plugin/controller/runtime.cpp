// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/runtime.hpp"

#include "controller/change.hpp"
#include "controller/refusals.hpp"
#include "controller/submission.hpp"
#include "host/host_conf.hpp"
#include "host/host_log.hpp"
#include "host/running_release.hpp"
#include "qosgate/base/read_clock.hpp"
#include "qosgate/base/report_files.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/decide/site.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace qg::plugin {
namespace {

using model::Decision;

// Long enough for a thread that waits between two checks. The plugin does not wait for a thread inside an
// RPC: slurmctld calls fini() with its write locks held, so the RPC gets no answer before fini() returns.
constexpr std::chrono::milliseconds stop_patience{200};

/// The directory of rules beside the slurm.conf that this slurmctld uses; a relative path for "slurmctld -f
/// slurm.conf"; empty if not known.
std::filesystem::path policy_directory() {
    const slurm_conf_t* conf = host_conf();
    std::string_view file = conf == nullptr ? std::string_view() : slurm::view_text(conf->slurm_conf);
    if (file.empty()) file = slurm::view_text(std::getenv("SLURM_CONF"));
    return rules_beside(file);
}

/// True also if it is not known.
bool is_there(const std::filesystem::path& file) {
    std::error_code problem;
    return std::filesystem::symlink_status(file, problem).type() != std::filesystem::file_type::not_found;
}

/// The plugins of slurmctld as it loads them.
std::string job_submit_plugins() {
    const slurm_conf_t* conf = host_conf();
    return conf == nullptr ? std::string() : std::string(slurm::view_text(conf->job_submit_plugins));
}

Result<AssocMgr> find_assoc_mgr() {
    auto manager = AssocMgr::find();
    if (!manager) log_error(("limits are not explained: " + manager.error().message).c_str());
    return manager;
}

/// Whether slurmctld can load the job when it starts again: with another number than 0 and 1 in one of these
/// it does not start (slurm/README.md 2.6).
bool can_be_loaded(const job_desc_msg_t& job) {
    const auto is_switch = []<typename Int>(Int value) {
        return value <= 1 || value == slurm::unset_value<Int>;
    };
    return is_switch(job.overcommit) && is_switch(job.contiguous) && is_switch(job.kill_on_node_fail);
}

/// Whether the job claims that slurmctld chose the partition that it names: it would get the partitions of
/// its reservations (limits/README.md 6.6).
bool claims_default_partition(const job_desc_msg_t& job) {
    return (job.bitflags & JOB_PART_ASSIGNED) != 0 && job.partition != nullptr;
}

bool asks_for_users(const policy::Policy& policy) {
    return policy.reads_groups() || (policy.script() != nullptr && policy.script()->asks_for_users());
}

bool reads_partitions(const policy::Policy& policy) {
    return policy.script() != nullptr && policy.script()->reads_partitions();
}

bool refuses_on_errors(const policy::Policy& policy) {
    const auto* script = policy.script();
    return (script != nullptr && !script->allows_on_error()) ||
           std::ranges::any_of(policy.rules(), [](const policy::RuleInfo& rule) {
               return (rule.runs_at_submission || rule.runs_at_change) &&
                      rule.denies_on_error_at(policy::JobEvent::submit);
           });
}

} // namespace

Runtime::Runtime() : Runtime(find_assoc_mgr()) {}

Runtime::Runtime(const Result<AssocMgr>& manager)
    : controller_(manager), untracked_tres_(std::make_shared<UntrackedTresWatch>(manager)) {
    // Before the first job, and so that slurmctld's log has any error at its start. Until a job comes the
    // store's thread only reads files: it may run in a standby controller, too. slurmctld has become a daemon
    // before it loads plugins.
    // If the place of slurm.conf is not known, a kept copy shows that there are rules.
    if (const auto directory = policy_directory(); directory.empty() && !is_there(kept_policy_file()))
        log_error("no rules: it is not known where slurm.conf is");
    else
        start_policies(directory);
    job_submit_plugins_ = job_submit_plugins();
    controller_.cluster.start();
    controller_.users.start();
    controller_.script_jobs.start();
    has_backups_ = has_backups();
    if (const auto file = state_file(report_file_name); !file.empty())
        start_status({file, state_file(standby_report_file_name(own_host_name()))});
}

void Runtime::start_status(StatusFile::Paths paths) {
    try {
        status_.start(std::move(paths), {.describe = [this] { return describe_status(); },
                                         .prepare = [watch = untracked_tres_] { watch->check_if_due(); }});
    } catch (const std::exception& error) {
        log_error((std::string("status: no thread: ") + error.what()).c_str());
    }
}

StatusFile::Text Runtime::describe_status() {
    const policy::StoreStatus policy = controller_.policies.status();
    const std::string partitions_error = controller_.cluster.last_error();
    const auto in_force = controller_.policies.current();
    const auto candidate = controller_.policies.candidate();
    const auto script = describe_script(*in_force, candidate.get());
    const auto users = describe_users(*in_force, candidate.get());
    const policy::Level limits = in_force->settings().limits;
    const auto untracked = untracked_tres_->qos();
    const auto conf_problems =
        find_conf_problems({job_submit_plugins_, controller_.quota.enforced(), untracked}, limits);
    const RecordCounts records = controller_.recorder.counts();
    const auto failing_rules = in_force->failing_rules();
    const StatusReport report{controller_.started_at,
                              policy,
                              limits,
                              controller_.cluster.read_at(),
                              partitions_error,
                              controller_.counts,
                              conf_problems,
                              records,
                              failing_rules,
                              controller_.candidate_runs.counts(),
                              script ? &*script : nullptr,
                              users ? &*users : nullptr,
                              &controller_.results};
    if (!has_said_hello_ && !policy.is_reading) {
        has_said_hello_ = true;
        log_line(LogLevel::info, report.to_line());
    }
    // Some problems are found only when slurmctld has its records.
    for (const std::string& problem : conf_problems)
        if (has_said_hello_ && said_problems_.insert(problem).second) log_line(LogLevel::warning, problem);
    // So another controller that was active before notices it at once, not only with the first job.
    if (!has_served_ && controller_.cluster.read_at()) {
        has_served_ = true;
        controller_.policies.mark_active();
    }
    const bool is_in_charge = controller_.cluster.is_at_work() && !policy.is_superseded;
    if (!is_in_charge && !has_backups_) return {};
    return {report.to_json().text(), /*is_standby=*/!is_in_charge};
}

std::optional<ScriptStatus> Runtime::describe_script(const policy::Policy& policy,
                                                     const policy::Policy* candidate) {
    controller_.want_jobs(policy, candidate);
    const policy::compat::SiteScript* script = policy.script();
    if (script == nullptr) return std::nullopt;
    ScriptStatus status{.failures = script->failures()};
    if (script->fields_of_jobs()) status.jobs = controller_.script_jobs.status();
    return status;
}

bool Runtime::look_for_partition_groups() const {
    const auto cluster = controller_.cluster.last_read();
    if (cluster == nullptr) return false;
    bool has_groups = false;
    for (const auto& partition : cluster->partitions.all())
        for (const std::string& group : partition->allow_groups) {
            has_groups = true;
            static_cast<void>(controller_.users.find_group(group));
        }
    return has_groups;
}

std::optional<UsersStatus> Runtime::describe_users(const policy::Policy& policy,
                                                   const policy::Policy* candidate) {
    const bool reads_them =
        reads_partitions(policy) || (candidate != nullptr && reads_partitions(*candidate));
    const bool has_groups = reads_them && look_for_partition_groups();
    const bool are_needed =
        has_groups || asks_for_users(policy) || (candidate != nullptr && asks_for_users(*candidate));
    if (!are_needed) return std::nullopt;
    controller_.users.need();
    controller_.users.watch();
    return UsersStatus{controller_.users.count(), controller_.users.read_at(),
                       controller_.users.last_error()};
}

int Runtime::submit(job_desc_msg_t& description, std::uint32_t submit_uid, char** err_msg) {
    controller_.policies.mark_active();
    if (controller_.is_kept_out(submit_uid)) [[unlikely]]
        return keep_out(description, submit_uid, err_msg);
    if (running_release().follows(limits::rules::frees_extra_twice) && description.extra != nullptr)
        [[unlikely]]
        return Submission(controller_, description, submit_uid, err_msg)
            .refuse("this release of Slurm has no 'extra': leave it out");
    if (!can_be_loaded(description)) [[unlikely]]
        return Submission(controller_, description, submit_uid, err_msg)
            .refuse("overcommit, contiguous and kill_on_node_fail are 0 or 1");
    if (claims_default_partition(description)) [[unlikely]]
        return Submission(controller_, description, submit_uid, err_msg)
            .refuse("bitflags has JOB_PART_ASSIGNED, which slurmctld sets: leave it out");
    if (description.het_job_offset != NO_VAL) [[unlikely]]
        return submit_part(description, submit_uid, err_msg);
    return Submission(controller_, description, submit_uid, err_msg).decide();
}

[[gnu::noinline]] int Runtime::submit_part(job_desc_msg_t& description, std::uint32_t submit_uid,
                                           char** err_msg) {
    TimeAllowance& allowance = controller_.parts_allowance;
    Submission submission(controller_, description, submit_uid, err_msg);
    if (controller_.quota.is_operator(submit_uid)) return submission.decide();
    if (!allowance.has_some(submit_uid, TimeAllowance::Clock::now()))
        return submission.refuse(
            "your parts of heterogeneous jobs took too long to check recently; try again in "
            "some seconds, with fewer parts, or submit single jobs");
    // The sender pays neither for waiting for others nor for the time of a candidate.
    const auto begin = read_clock(CLOCK_THREAD_CPUTIME_ID);
    const int code = submission.decide();
    const auto end = submission.decided_at().value_or(read_clock(CLOCK_THREAD_CPUTIME_ID));
    allowance.spend(submit_uid, end - begin, TimeAllowance::Clock::now());
    return code;
}

[[gnu::noinline]] int Runtime::keep_out(const job_desc_msg_t& job, std::uint32_t submit_uid, char** err_msg) {
    const auto begin = TimeAllowance::Clock::now();
    const ClusterNow now = controller_.cluster.current();
    const model::JobRequest request = slurm::read_job_desc(job, submit_uid);
    const gate::Site site(now.cluster.get(), /*policy_in_force=*/nullptr, controller_.quota,
                          running_release());
    const gate::ResolvedRequest resolved = gate::resolve(request, site.context);
    const Decision decision = refuse_job(controller_.policies.status(), {request, resolved.view()});
    controller_.count(decision, /*is_change=*/false, TimeAllowance::Clock::now() - begin);
    return answer(decision, err_msg);
}

int Runtime::modify(job_desc_msg_t& update, job_record* job, std::uint32_t submit_uid, char** err_msg) {
    controller_.policies.mark_active();
    // A change must not bypass rules that are not known. They may be a script, which sees every change.
    if (controller_.is_kept_out(submit_uid)) {
        const auto begin = TimeAllowance::Clock::now();
        const Decision decision =
            refuse_change(controller_.policies.status(), controller_.job_files.find_id(job), submit_uid);
        controller_.count(decision, /*is_change=*/true, TimeAllowance::Clock::now() - begin);
        return answer(decision, err_msg);
    }
    const auto code = Change(controller_, update, job, submit_uid, err_msg).decide();
    return code ? *code : failed(err_msg);
}

int Runtime::failed(char** err_msg) {
    const auto policy = controller_.policies.current();
    if (!controller_.policies.is_closed() && !refuses_on_errors(*policy)) return SLURM_SUCCESS;
    Decision decision;
    decision.reject = model::RejectCode::access_denied;
    try {
        decision.message.push_back(
            "the site's rules could not be applied to this job; please tell your administrators");
        if (const std::string& contact = policy->settings().contact; !contact.empty())
            decision.message.back() += " (" + contact + ")";
    } catch (...) { // no memory for words
    }
    return answer(decision, err_msg);
}

void Runtime::start_policies(const std::filesystem::path& directory) {
    try {
        controller_.policies.start(directory);
    } catch (const std::exception& error) {
        // Without its thread the store is closed. The entry points need this runtime to report that.
        log_error((std::string("policy: no thread: ") + error.what()).c_str());
    }
}

void Runtime::stop() {
    status_.stop(stop_patience);
    controller_.recorder.stop(stop_patience);
    controller_.policies.stop();
    controller_.cluster.stop(stop_patience);
    controller_.users.stop(stop_patience);
    controller_.script_jobs.stop(stop_patience);
}

namespace {
// Only init() and fini() write it, and slurmctld never runs another entry point at the same time.
Runtime* the_runtime = nullptr;
} // namespace

Runtime& runtime() {
    QG_CHECK(the_runtime != nullptr);
    return *the_runtime;
}

void start_runtime() {
    stop_runtime();
    the_runtime = new Runtime();
}

void stop_runtime() {
    if (the_runtime == nullptr) return;
    the_runtime->stop();
    delete the_runtime;
    the_runtime = nullptr;
}

} // namespace qg::plugin
