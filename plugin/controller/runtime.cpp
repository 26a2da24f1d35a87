// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/runtime.hpp"

#include "host/host_conf.hpp"
#include "host/host_log.hpp"
#include "host/running_release.hpp"
#include "qosgate/base/report_files.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/rules/test_world.hpp"
#include "qosgate/slurm/values.hpp"
#include "records/controller_users.hpp"

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

/// The kept copy of the policy in force.
std::filesystem::path kept_policy_file() {
    return state_file("qosgate_policy");
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

/// Whether slurm.conf names more than one controller.
bool has_backups() {
    const slurm_conf_t* conf = host_conf();
    return conf != nullptr && conf->control_cnt > 1;
}

std::string cluster_name() {
    const slurm_conf_t* conf = host_conf();
    return conf == nullptr ? std::string() : std::string(slurm::view_text(conf->cluster_name));
}

Result<AssocMgr> find_assoc_mgr() {
    auto manager = AssocMgr::find();
    if (!manager) log_error(("limits are not explained: " + manager.error().message).c_str());
    return manager;
}

} // namespace

Runtime::Runtime() : Runtime(find_assoc_mgr()) {}

Runtime::Runtime(const Result<AssocMgr>& manager)
    : policies_(log_line,
                {.kept_file = kept_policy_file(),
                 .host = has_backups() ? own_host_name() : std::string(),
                 .cluster_name = cluster_name(),
                 .log_of_script = log_script_line,
                 .make_world = [] { return std::make_unique<gate::ScenarioWorld>(running_release()); }}),
      quota_(manager),
      users_({.list_users =
                  [manager](std::size_t max_users) {
                      return manager ? list_user_names(*manager, max_users) : std::vector<std::string>();
                  }}),
      untracked_tres_(std::make_shared<UntrackedTresWatch>(manager)), gate_(quota_, running_release()) {
    // Before the first job, and so that slurmctld's log has any error at its start. Until a job comes the
    // store's thread only reads files: it may run in a standby controller, too. slurmctld has become a daemon
    // before it loads plugins.
    // If the place of slurm.conf is not known, a kept copy shows that there are rules.
    if (const auto directory = policy_directory(); directory.empty() && !is_there(kept_policy_file()))
        log_error("no rules: it is not known where slurm.conf is");
    else
        start_policies(directory);
    job_submit_plugins_ = job_submit_plugins();
    cluster_.start();
    users_.start();
    script_jobs_.start();
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
    const policy::StoreStatus policy = policies_.status();
    const std::string partitions_error = cluster_.last_error();
    const auto in_force = policies_.current();
    const auto candidate = policies_.candidate();
    const auto script = describe_script(*in_force, candidate.get());
    const auto users = describe_users(*in_force, candidate.get());
    const policy::Level limits = in_force->settings().limits;
    const auto untracked = untracked_tres_->qos();
    const auto conf_problems =
        find_conf_problems({job_submit_plugins_, quota_.enforced(), untracked}, limits);
    const RecordCounts records = recorder_.counts();
    const auto failing_rules = in_force->failing_rules();
    const StatusReport report{started_at_,
                              policy,
                              limits,
                              cluster_.read_at(),
                              partitions_error,
                              counts_,
                              conf_problems,
                              records,
                              failing_rules,
                              candidate_runs_.counts(),
                              script ? &*script : nullptr,
                              users ? &*users : nullptr,
                              &results_};
    if (!has_said_hello_ && !policy.is_reading) {
        has_said_hello_ = true;
        log_line(LogLevel::info, report.to_line());
    }
    // Some problems are found only when slurmctld has its records.
    for (const std::string& problem : conf_problems)
        if (has_said_hello_ && said_problems_.insert(problem).second) log_line(LogLevel::warning, problem);
    // So another controller that was active before notices it at once, not only with the first job.
    if (!has_served_ && cluster_.read_at()) {
        has_served_ = true;
        policies_.mark_active();
    }
    const bool is_in_charge = cluster_.is_at_work() && !policy.is_superseded;
    if (!is_in_charge && !has_backups_) return {};
    return {report.to_json().text(), /*is_standby=*/!is_in_charge};
}

void Runtime::start_policies(const std::filesystem::path& directory) {
    try {
        policies_.start(directory);
    } catch (const std::exception& error) {
        // Without its thread the store is closed. The entry points need this runtime to report that.
        log_error((std::string("policy: no thread: ") + error.what()).c_str());
    }
}

void Runtime::stop() {
    status_.stop(stop_patience);
    recorder_.stop(stop_patience);
    policies_.stop();
    cluster_.stop(stop_patience);
    users_.stop(stop_patience);
    script_jobs_.stop(stop_patience);
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
