// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime.hpp"

#include "controller_users.hpp"
#include "host_alloc.hpp"
#include "host_conf.hpp"
#include "host_log.hpp"
#include "job_desc_writer.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/decision_log.hpp"
#include "qosgate/gate/resolve.hpp"
#include "qosgate/gate/site.hpp"
#include "qosgate/gate/test_world.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/slurm/error_codes.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/values.hpp"
#include "unknown_rules.hpp"
#include "unseen_change.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>

namespace qg::plugin {
namespace {

using model::Decision;

constexpr auto this_release = limits::Release::from_version_number(SLURM_VERSION_NUMBER);

// Long enough for a thread that waits between two checks. The plugin does not wait for a thread inside an
// RPC: slurmctld calls fini() with its write locks held, so the RPC gets no answer before fini() returns.
constexpr std::chrono::milliseconds stop_patience{200};

/// The directory of rules beside the slurm.conf that this slurmctld uses; a relative path for "slurmctld -f
/// slurm.conf"; empty if not known.
std::filesystem::path policy_folder() {
    const slurm_conf_t* conf = host_conf();
    std::string_view file = conf == nullptr ? std::string_view() : slurm::view_text(conf->slurm_conf);
    if (file.empty()) file = slurm::view_text(std::getenv("SLURM_CONF"));
    if (file.empty()) return {};
    return std::filesystem::path(file).parent_path() / "qosgate.d";
}

/// A file in slurmctld's state directory, which a backup controller shares; empty if the directory is
/// not known.
std::filesystem::path state_file(std::string_view name) {
    const slurm_conf_t* conf = host_conf();
    const std::filesystem::path folder =
        conf == nullptr ? std::string_view() : slurm::view_text(conf->state_save_location);
    return folder.is_absolute() ? folder / name : std::filesystem::path();
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

std::string cluster_name() {
    const slurm_conf_t* conf = host_conf();
    return conf == nullptr ? std::string() : std::string(slurm::view_text(conf->cluster_name));
}

Result<AssocMgr> find_assoc_mgr() {
    auto manager = AssocMgr::find();
    if (!manager) log_error(("limits are not explained: " + manager.error().message).c_str());
    return manager;
}

bool refuses_on_errors(const policy::Policy& policy) {
    const auto* script = policy.script();
    return (script != nullptr && !script->allows_on_error()) ||
           std::ranges::any_of(policy.rules(), &policy::RuleInfo::denies_on_error);
}

/// The cluster as it is known at this moment.
gate::KnownCluster to_known(const ClusterNow& now, const UserTable& users) {
    const gate::DecisionTimes times{.now = std::time(nullptr), .cluster_read_at = now.confirmed_at};
    return {now.cluster.get(), now.may_have_changed, now.may_have_new_reservations, times, &users};
}

/// Writes the decision's messages. The decision is valid even if there is no memory for the messages.
template <typename Say>
void tell(Say say) noexcept {
    try {
        say();
    } catch (...) {
        log_error("no memory for the words of a decision");
    }
}

} // namespace

Runtime::Runtime() : Runtime(find_assoc_mgr()) {}

Runtime::Runtime(const Result<AssocMgr>& manager)
    : policies_(log_line, {.kept_file = kept_policy_file(),
                           .cluster_name = cluster_name(),
                           .make_world = [] { return std::make_unique<gate::ScenarioWorld>(this_release); }}),
      quota_(manager),
      users_({.list_users =
                  [manager](std::size_t max_users) {
                      return manager ? list_user_names(*manager, max_users) : std::vector<std::string>();
                  }}),
      untracked_tres_(std::make_shared<UntrackedTresWatch>(manager)), gate_(quota_, this_release) {
    // Before the first job, and so that slurmctld's log has any error at its start. Until a job comes the
    // store's thread only reads files: it may run in a standby controller, too. slurmctld has become a daemon
    // before it loads plugins.
    // If the place of slurm.conf is not known, a kept copy shows that there are rules.
    if (const auto folder = policy_folder(); folder.empty() && !is_there(kept_policy_file()))
        log_error("no rules: it is not known where slurm.conf is");
    else
        start_policies(folder);
    job_submit_plugins_ = job_submit_plugins();
    cluster_.start();
    users_.start();
    script_jobs_.start();
    if (const auto file = state_file("qosgate_status.json"); !file.empty()) start_status(file);
}

void Runtime::start_status(const std::filesystem::path& file) {
    try {
        status_.start(file, {.describe = [this] { return describe_status(); },
                             .prepare = [watch = untracked_tres_] { watch->check_if_due(); }});
    } catch (const std::exception& error) {
        log_error((std::string("status: no thread: ") + error.what()).c_str());
    }
}

std::string Runtime::describe_status() {
    const policy::StoreStatus policy = policies_.status();
    const std::string partitions_error = cluster_.last_error();
    const auto in_force = policies_.current();
    const auto candidate = policies_.candidate();
    const auto script = describe_script(*in_force);
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
    return cluster_.is_at_work() && !policy.is_superseded ? report.to_json() : std::string();
}

void Runtime::start_policies(const std::filesystem::path& folder) {
    try {
        policies_.start(folder);
    } catch (const std::exception& error) {
        // Without its thread the store is closed. The entry points need this runtime to report that.
        log_error((std::string("policy: no thread: ") + error.what()).c_str());
    }
}

[[gnu::hot]] int Runtime::answer(const Decision& decision, char** err_msg) const {
    tell([&] {
        for (const LogLine& line : decision.log)
            log_line(line.level, line.text);
        append_message(err_msg, decision.message); // up to 22.05 only the log shows a message
    });
    return slurm::to_slurm_error(decision.reject);
}

[[gnu::hot]] void Runtime::conclude(const Recording& recording, Decision& decision,
                                    const gate::RecordedJob* job, bool is_change,
                                    const std::vector<std::string>& said,
                                    std::chrono::steady_clock::duration took_by_script) {
    auto& message = decision.message;
    if (!said.empty()) [[unlikely]]
        message.insert(message.begin(), said.begin(), said.end());
    if (job != nullptr) recording.finish(decision, *job);
    counts_.count(decision, is_change);
    results_.count(decision, took_by_script + recording.took());
    message.erase(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(said.size()));
}

[[gnu::hot]] int Runtime::submit(job_desc_msg_t& description, std::uint32_t submit_uid, char** err_msg) {
    policies_.mark_active();
    if (is_kept_out(submit_uid)) return keep_out(description, submit_uid, err_msg);
    const ClusterNow now = cluster_.current();
    const auto policy = policies_.current();
    ScriptDeeds of_script;
    if (policy->script() != nullptr) [[unlikely]]
        if (const int code = run_script(*policy, now, description, submit_uid, err_msg, of_script);
            code != SLURM_SUCCESS)
            return code;
    const auto candidate = policies_.candidate();
    const gate::KnownCluster known = to_known(now, users_);
    Recording recording = recorder_.begin(*policy);
    const model::JobRequest request = slurm::read_job_desc(description, submit_uid);
    std::optional<HetSubmission::Turn> turn;
    if (request.is_het_part) turn.emplace(het_submission_, description.het_job_offset, request.user_id);
    gate::HetParts* const parts = turn ? turn->parts() : nullptr;
    std::optional<gate::HetParts> parts_before;
    if (candidate && parts) parts_before = *parts;
    Decision decision = gate_.decide(request, known, policy.get(), parts);
    recording.stop_clock();
    std::optional<gate::Comparison> comparison;
    const auto decide_again = [&](const policy::Policy& other) {
        return gate_.decide(request, known, &other, parts_before ? &*parts_before : nullptr);
    };
    if (candidate)
        comparison = candidate_runs_.compare(*candidate, request, decision, std::ref(decide_again));
    if (!of_script.decision.log.empty()) [[unlikely]]
        put_before(decision, std::move(of_script.decision));
    const gate::RecordedJob recorded{.request = request, .candidate = comparison ? &*comparison : nullptr};
    conclude(recording, decision, &recorded, /*is_change=*/false, of_script.said, of_script.took);
    if (decision.changed) write_changes(description, request, *decision.changed);
    return answer(decision, err_msg);
}

int Runtime::keep_out(const job_desc_msg_t& job, std::uint32_t submit_uid, char** err_msg) {
    const auto begin = std::chrono::steady_clock::now();
    const ClusterNow now = cluster_.current();
    const model::JobRequest request = slurm::read_job_desc(job, submit_uid);
    const gate::Site site(now.cluster.get(), /*policy_in_force=*/nullptr, quota_, this_release);
    const gate::ResolvedRequest resolved = gate::resolve(request, site.context);
    const Decision decision = refuse_job(policies_.status(), {request, resolved.view()});
    count(decision, /*is_change=*/false, begin);
    return answer(decision, err_msg);
}

void Runtime::count(const Decision& decision, bool is_change, std::chrono::steady_clock::time_point begin) {
    counts_.count(decision, is_change);
    results_.count(decision, std::chrono::steady_clock::now() - begin);
}

bool Runtime::is_kept_out(std::uint32_t submit_uid) const {
    return policies_.is_closed() && !quota_.is_operator(submit_uid);
}

int Runtime::modify(job_desc_msg_t& update, job_record* job, std::uint32_t submit_uid, char** err_msg) {
    policies_.mark_active();
    // A change must not bypass rules that are not known. They may be a script, which sees every change.
    if (is_kept_out(submit_uid)) {
        const auto begin = std::chrono::steady_clock::now();
        const Decision decision = refuse_change(policies_.status(), job_files_.find_id(job), submit_uid);
        count(decision, /*is_change=*/true, begin);
        return answer(decision, err_msg);
    }
    const auto policy = policies_.current();
    ScriptDeeds of_script;
    if (policy->script() != nullptr) [[unlikely]]
        if (const int code = run_script_at_change(*policy, update, job, submit_uid, err_msg, of_script);
            code != SLURM_SUCCESS)
            return code;
    const auto pass = [&] { return pass_change(of_script, job_files_.find_id(job), err_msg); };
    if (!slurm::touches_decision(update)) return pass();
    const bool may_refuse =
        policy->settings().limits == policy::Level::enforce || policy->has_rules_at(policy::JobEvent::modify);
    if (!may_refuse && err_msg == nullptr) return pass();
    const auto files_id = job_files_.find_id(job);
    const bool by_operator = quota_.is_operator(submit_uid);
    const auto asked_at = TimeAllowance::Clock::now();
    if (const auto why = why_not_copied(files_id, submit_uid, by_operator); !why.empty()) {
        Decision decision = answer_unseen_change({files_id, submit_uid, by_operator, why}, *policy);
        put_before(decision, std::move(of_script.decision));
        count(decision, /*is_change=*/true, asked_at);
        return answer(decision, err_msg);
    }
    const JobCopy current = copy_job(job, files_id, submit_uid, by_operator);
    if (current == nullptr) return pass(), failed(err_msg);
    if (!slurm::asks_only_for_entitled && !may_change(submit_uid, *current)) return pass();

    const ClusterNow now = cluster_.current();
    const auto begin = TimeAllowance::Clock::now();
    const auto candidate = policies_.candidate();
    const gate::KnownCluster known = to_known(now, users_);
    Recording recording = recorder_.begin(*policy);
    model::JobUpdate change = slurm::read_update(*current, update, submit_uid);
    const auto kept = recording.is_on() || candidate ? std::optional(change) : std::nullopt;
    Decision decision = gate_.decide_update(std::move(change), known, policy.get());
    recording.stop_clock();
    // One request may change every task of an array, one after the other.
    const auto end = TimeAllowance::Clock::now();
    if (!by_operator) change_allowance_.spend(submit_uid, end - begin, end);
    std::optional<gate::Comparison> comparison;
    const auto decide_again = [&](const policy::Policy& other) {
        return gate_.decide_update(*kept, known, &other);
    };
    if (candidate)
        comparison = candidate_runs_.compare(*candidate, kept->after, decision, std::ref(decide_again));
    if (!of_script.decision.log.empty()) [[unlikely]]
        put_before(decision, std::move(of_script.decision));
    std::optional<gate::RecordedJob> recorded;
    if (kept) recorded.emplace(kept->after, files_id.value_or(0), comparison ? &*comparison : nullptr);
    conclude(recording, decision, recorded ? &*recorded : nullptr, /*is_change=*/true, of_script.said,
             of_script.took);
    return answer(decision, err_msg);
}

std::string_view Runtime::why_not_copied(std::optional<std::uint32_t> files_id, std::uint32_t submit_uid,
                                         bool by_operator) const {
    const auto now = TimeAllowance::Clock::now();
    if (files_id && !is_short_environment(environment_bytes(state_file(""), *files_id)))
        return "its environment has more than 4 MiB";
    const auto owner = files_id ? owners_.find(*files_id) : std::nullopt;
    // Operators do not pay for large jobs of users, except while the owner is not known.
    if (((!by_operator || !owner) && !change_allowance_.has_some(submit_uid, now)) ||
        (owner && !change_allowance_.has_some(*owner, now)))
        return "such changes took too long to check lately; change fewer at once, and try again in some "
               "seconds";
    return {};
}

JobCopy Runtime::copy_job(job_record* job, std::optional<std::uint32_t> files_id, std::uint32_t submit_uid,
                          bool by_operator) {
    const auto begin = TimeAllowance::Clock::now();
    JobCopy copy = jobs_.copy(job);
    const auto end = TimeAllowance::Clock::now();
    if (copy == nullptr) return copy;
    // A user cannot spend another user's allowance by trying to change their jobs.
    const bool owner_pays = by_operator || may_change(submit_uid, *copy);
    const bool knew_owner = files_id && owners_.find(*files_id);
    if (owner_pays) change_allowance_.spend(copy->user_id, end - begin, end);
    if (!owner_pays || (!knew_owner && copy->user_id != submit_uid))
        change_allowance_.spend(submit_uid, end - begin, end);
    if (files_id) owners_.keep(*files_id, copy->user_id);
    return copy;
}

bool Runtime::may_change(std::uint32_t user_id, const job_desc_msg_t& job) const {
    return quota_.may_change(user_id, job.user_id, slurm::view_text(job.account));
}

int Runtime::failed(char** err_msg) {
    const auto policy = policies_.current();
    if (!policies_.is_closed() && !refuses_on_errors(*policy)) return SLURM_SUCCESS;
    tell([&] {
        std::string message =
            "the site's rules could not be applied to this job; please tell your administrators";
        if (const std::string& contact = policy->settings().contact; !contact.empty())
            message += " (" + contact + ")";
        append_message(err_msg, std::span(&message, 1));
    });
    return slurm::to_slurm_error(model::RejectCode::access_denied);
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
