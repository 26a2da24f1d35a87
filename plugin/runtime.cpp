// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime.hpp"

#include "error_codes.hpp"
#include "host_alloc.hpp"
#include "host_conf.hpp"
#include "host_log.hpp"
#include "job_desc_writer.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/values.hpp"
#include "unseen_change.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace qg::plugin {
namespace {

using model::Decision;

// Long enough for a thread between two looks. One inside an RPC is not waited for: slurmctld calls fini()
// with its write locks held, and the RPC gets no answer before that is over.
constexpr std::chrono::milliseconds stop_patience{200};

/// The folder of rules beside the slurm.conf that this slurmctld uses; a relative path as in "slurmctld -f
/// slurm.conf"; empty if nothing is known.
std::filesystem::path policy_folder() {
    const slurm_conf_t* conf = host_conf();
    std::string_view file = conf == nullptr ? std::string_view() : slurm::view_text(conf->slurm_conf);
    if (file.empty()) file = slurm::view_text(std::getenv("SLURM_CONF"));
    if (file.empty()) return {};
    return std::filesystem::path(file).parent_path() / "qosgate.d";
}

/// A file beside slurmctld's own state, where a backup controller finds it too; empty if it is not known
/// where that is.
std::filesystem::path state_file(std::string_view name) {
    const slurm_conf_t* conf = host_conf();
    const std::filesystem::path folder =
        conf == nullptr ? std::string_view() : slurm::view_text(conf->state_save_location);
    return folder.is_absolute() ? folder / name : std::filesystem::path();
}

/// Where the policy in force outlives slurmctld.
std::filesystem::path kept_policy_file() {
    return state_file("qosgate_policy");
}

/// Also where it cannot be told.
bool is_there(const std::filesystem::path& file) {
    std::error_code problem;
    return std::filesystem::symlink_status(file, problem).type() != std::filesystem::file_type::not_found;
}

/// slurmctld asks the plugins in this order. Slurm's own for Lua drops what others said before, where it
/// speaks itself.
void check_order_of_plugins() {
    const slurm_conf_t* conf = host_conf();
    if (conf == nullptr) return;
    const auto names = text::split(slurm::view_text(conf->job_submit_plugins), ',');
    const auto own = std::ranges::find(names, "qosgate");
    if (std::find(own, names.end(), "lua") != names.end())
        log_line(LogLevel::warning,
                 "JobSubmitPlugins has lua behind qosgate: where job_submit.lua speaks to a user, "
                 "what qosgate said is lost; write lua,qosgate");
}

/// The refusal while nobody knows the site's rules.
Decision refuse_unknown_rules(const policy::StoreStatus& status, const job_desc_msg_t& job,
                              std::uint32_t submit_uid) {
    const std::string why = status.last_error ? status.last_error->message : status.folder.string();
    Decision decision;
    decision.reject = model::RejectCode::access_denied;
    decision.message = {
        "This job was not accepted because the site's rules are not loaded: " + text::printable(why, 600) +
        (status.is_reading ? "; please try again in a moment" : "; please tell your administrators")};
    decision.log = {
        {LogLevel::error,
         text::format("refused user={} job={}: no rules are loaded: {}", submit_uid,
                      text::quoted({job.name, job.name == nullptr ? 0 : strnlen(job.name, 65)}, 64), why)}};
    return decision;
}

Result<AssocMgr> find_assoc_mgr() {
    auto manager = AssocMgr::find();
    if (!manager) log_error(("limits are not explained: " + manager.error().message).c_str());
    return manager;
}

bool refuses_on_errors(const policy::Policy& policy) {
    return std::ranges::any_of(policy.rules(), &policy::RuleInfo::denies_on_error);
}

/// Says what was decided. A decision stands also where there is no memory for its words.
template <typename Say>
void tell(Say say) noexcept {
    try {
        say();
    } catch (...) {
        log_error("no memory for the words of a decision");
    }
}

gate::JobUpdate read_update(const job_desc_msg_t& job, const job_desc_msg_t& update,
                            std::uint32_t submit_uid) {
    const std::uint32_t job_id = slurm::job_id_of(job);
    return {.job_id = job_id == NO_VAL ? 0 : job_id,
            .before = slurm::read_job_record(job, submit_uid),
            .after = slurm::read_job_update(job, update, submit_uid),
            .names_qos = update.qos != nullptr,
            .names_time = slurm::read_time(update.time_limit).has_value()};
}

} // namespace

Runtime::Runtime()
    : policies_(log_line, {.kept_file = kept_policy_file()}), quota_(find_assoc_mgr()),
      gate_(quota_, limits::Release::from_version_number(SLURM_VERSION_NUMBER)) {
    // Before the first job, and so that an error stands in the log when slurmctld starts. Until a job comes
    // the store's thread only reads files: it may run in a standby controller, too. slurmctld has become a
    // daemon before it loads plugins.
    // Where nothing says where slurm.conf is, a kept copy says that there are rules.
    if (const auto folder = policy_folder(); folder.empty() && !is_there(kept_policy_file()))
        log_error("no rules: it is not known where slurm.conf is");
    else
        start_policies(folder);
    check_order_of_plugins();
    cluster_.start();
    if (const auto file = state_file("qosgate_status.json"); !file.empty()) start_status(file);
}

void Runtime::start_status(const std::filesystem::path& file) {
    try {
        status_.start(file, [this] { return describe_status(); });
    } catch (const std::exception& error) {
        log_error((std::string("status: no thread: ") + error.what()).c_str());
    }
}

std::string Runtime::describe_status() {
    const policy::StoreStatus policy = policies_.status();
    const std::string partitions_error = cluster_.last_error();
    const StatusReport report{started_at_,        policy,           policies_.current()->settings().limits,
                              cluster_.read_at(), partitions_error, counts_};
    if (!has_said_hello_ && !policy.is_reading) {
        has_said_hello_ = true;
        log_line(LogLevel::info, report.to_line());
    }
    // So another controller, which was at work before this one, knows it at once and not with the first job.
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
        // Without its thread the store is closed; the entry points need this runtime to say so.
        log_error((std::string("policy: no thread: ") + error.what()).c_str());
    }
}

int Runtime::answer(const Decision& decision, char** err_msg) const {
    tell([&] {
        for (const LogLine& line : decision.log)
            log_line(line.level, line.text);
        append_message(err_msg, decision.message); // up to 22.05 changes have no channel: the log has it
    });
    return to_slurm_error(decision.reject);
}

int Runtime::submit(job_desc_msg_t& description, std::uint32_t submit_uid, char** err_msg) {
    policies_.mark_active();
    if (is_kept_out(submit_uid)) return keep_out(description, submit_uid, /*is_change=*/false, err_msg);
    const ClusterNow now = cluster_.current();
    const auto policy = policies_.current();
    const model::JobRequest request = slurm::read_job_desc(description, submit_uid);
    std::optional<HetSubmission::Turn> turn;
    if (request.is_het_part) turn.emplace(het_submission_, description.het_job_offset, request.user_id);
    const Decision decision = gate_.decide(request, {now.cluster.get(), now.may_have_changed}, policy.get(),
                                           turn ? turn->parts() : nullptr);
    counts_.count(decision, /*is_change=*/false);
    if (decision.changed) write_changes(description, request, *decision.changed);
    return answer(decision, err_msg);
}

int Runtime::keep_out(const job_desc_msg_t& job, std::uint32_t submit_uid, bool is_change, char** err_msg) {
    const Decision decision = refuse_unknown_rules(policies_.status(), job, submit_uid);
    counts_.count(decision, is_change);
    return answer(decision, err_msg);
}

bool Runtime::is_kept_out(std::uint32_t submit_uid) const {
    return policies_.is_closed() && !quota_.is_operator(submit_uid);
}

int Runtime::modify(const job_desc_msg_t& update, job_record* job, std::uint32_t submit_uid, char** err_msg) {
    policies_.mark_active();
    if (!slurm::touches_decision(update)) return SLURM_SUCCESS;
    // A change must not walk around rules that nobody knows.
    if (is_kept_out(submit_uid)) return keep_out(update, submit_uid, /*is_change=*/true, err_msg);
    const auto policy = policies_.current();
    const bool may_refuse = policy->settings().limits == policy::Level::enforce || policy->has_rules();
    if (!may_refuse && err_msg == nullptr) return SLURM_SUCCESS;
    const auto files_id = job_files_.find_id(job);
    const bool by_operator = quota_.is_operator(submit_uid);
    if (const auto why = why_not_copied(files_id, submit_uid, by_operator); !why.empty()) {
        const Decision decision = answer_unseen_change({files_id, submit_uid, by_operator, why}, *policy);
        counts_.count(decision, /*is_change=*/true);
        return answer(decision, err_msg);
    }
    const JobCopy current = copy_job(job, files_id, submit_uid, by_operator);
    if (current == nullptr) return failed(err_msg);
    if (!slurm::asks_only_for_entitled && !may_change(submit_uid, *current)) return SLURM_SUCCESS;

    const ClusterNow now = cluster_.current();
    const Decision decision = gate_.decide_update(read_update(*current, update, submit_uid),
                                                  {now.cluster.get(), now.may_have_changed}, policy.get());
    counts_.count(decision, /*is_change=*/true);
    return answer(decision, err_msg);
}

std::string_view Runtime::why_not_copied(std::optional<std::uint32_t> files_id, std::uint32_t submit_uid,
                                         bool by_operator) const {
    const auto now = TimeAllowance::Clock::now();
    if (files_id && !is_short_environment(environment_bytes(state_file(""), *files_id)))
        return "its environment has more than 4 MiB";
    const auto owner = files_id ? owners_.find(*files_id) : std::nullopt;
    if ((!by_operator && !copy_allowance_.has_some(submit_uid, now)) ||
        (owner && !copy_allowance_.has_some(*owner, now)))
        return "such jobs took too long to read lately; change fewer at once, and try again in some seconds";
    return {};
}

JobCopy Runtime::copy_job(job_record* job, std::optional<std::uint32_t> files_id, std::uint32_t submit_uid,
                          bool by_operator) {
    const auto begin = TimeAllowance::Clock::now();
    JobCopy copy = jobs_.copy(job);
    const auto end = TimeAllowance::Clock::now();
    if (copy == nullptr) return copy;
    // Nobody spends what is another's by trying to change its jobs.
    const bool owner_pays = by_operator || may_change(submit_uid, *copy);
    copy_allowance_.spend(owner_pays ? copy->user_id : submit_uid, end - begin, end);
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
    return to_slurm_error(model::RejectCode::access_denied);
}

void Runtime::stop() {
    status_.stop(stop_patience);
    policies_.stop();
    cluster_.stop(stop_patience);
}

namespace {
// Written by init() and fini() only, beside which slurmctld never runs an entry.
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
