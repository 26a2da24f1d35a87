// SPDX-License-Identifier: GPL-2.0-or-later
#include "client_judge.hpp"

#include "host_conf.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/client_counts.hpp"
#include "qosgate/gate/gate.hpp"
#include "qosgate/gate/request_options.hpp"
#include "qosgate/policy/folder_findings.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/quota/user_groups.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/job_desc_fields.hpp"
#include "qosgate/slurm/job_world.hpp"
#include "qosgate/slurm/plugin_list.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <pwd.h>
#include <unistd.h>

namespace qg::plugin {
namespace {

using model::Decision;
using model::JobDetail;
using model::JobRequest;
using model::RejectCode;

constexpr auto this_release = limits::Release::from_version_number(SLURM_VERSION_NUMBER);

/// What the job description of a client lacks at this moment, or has in another form, by the names that rules
/// use.
constexpr std::array<std::string_view, 10> unknown_fields{
    "script",  "argv",   "script_options", "env",     "submit_host",
    "requeue", "std_in", "std_out",        "std_err", "work_dir"};

/// Options whose effect on tasks and nodes the client computes only later.
constexpr std::array<const char*, 8> late_options{"sockets-per-node",
                                                  "cores-per-socket",
                                                  "threads-per-core",
                                                  "extra-node-info",
                                                  "nodefile",
                                                  "distribution",
                                                  "hint",
                                                  "ntasks-per-gpu"};

/// The details of a job that is not complete yet. It remembers that a rule has asked for what it lacks.
class ClientDetails final : public model::DetailReader {
  public:
    ClientDetails(const model::JobDetails& known, bool has_name) : known_(known), has_name_(has_name) {}

    [[nodiscard]] model::DetailValue read(const void* /*job*/, const void* /*update*/,
                                          JobDetail detail) const noexcept override {
        return known_.get(detail);
    }
    [[nodiscard]] std::size_t argument_count(const void* /*job*/) const noexcept override { return 0; }
    [[nodiscard]] model::DetailValue argument(const void* /*job*/,
                                              std::size_t /*index*/) const noexcept override {
        return {};
    }
    [[nodiscard]] std::size_t variable_count(const void* /*job*/) const noexcept override { return 0; }
    [[nodiscard]] model::DetailValue variable(const void* /*job*/,
                                              std::string_view /*name*/) const noexcept override {
        return {};
    }
    void note_use(const void* /*job*/, std::string_view field,
                  model::FieldUse /*use*/) const noexcept override {
        const bool is_unknown = std::ranges::find(unknown_fields, field) != unknown_fields.end();
        if (is_unknown || (field == "name" && !has_name_)) asked_for_ = field;
    }

    /// The last unknown field that a rule asked for; empty: none.
    [[nodiscard]] std::string_view asked_for() const noexcept { return asked_for_; }

  private:
    model::JobDetails known_;
    bool has_name_;                      ///< else the client makes one later
    mutable std::string_view asked_for_; ///< one thread judges
};

bool has_qosgate(std::string_view job_submit_plugins) {
    const auto names = slurm::job_submit_plugin_names(job_submit_plugins);
    return std::ranges::find(names, "qosgate") != names.end();
}

/// The rules beside slurm.conf; none if this host has none. Errors: those of reading and compiling them.
Result<std::shared_ptr<const policy::Policy>> load_rules() {
    const slurm_conf_t* conf = host_conf();
    const std::string_view file = conf == nullptr ? std::string_view() : slurm::view_text(conf->slurm_conf);
    if (file.empty()) return policy::Policy::none();
    auto sources = policy::read_loadable_sources(std::filesystem::path(file).parent_path() / "qosgate.d",
                                                 {.is_needed = false});
    if (!sources && sources.error().code == ErrorCode::not_found) return policy::Policy::none();
    if (!sources) return sources.error();
    return policy::compile_policy(std::move(*sources));
}

/// A text that is never freed: the process ends.
char* keep(const std::optional<std::string>& text) {
    return text ? (new std::string(*text))->data() : nullptr;
}

/// --gpus-per-task as TRES: from 24.05 on the clients write that down only later. Empty: it is not set.
std::optional<std::string> gpus_per_task(const ClientOptions& options) {
    const auto asked = options.get("gpus-per-task");
    if (!asked) return std::nullopt;
    std::vector<std::string> entries;
    for (const std::string_view entry : text::split(*asked, ','))
        entries.push_back(text::format("gres/gpu:{}", entry));
    return text::join(entries, ",");
}

/// The request that the options make; empty if they make none. The job description is never freed.
std::optional<JobRequest> make_request(ClientOptions& options, const ClientCommand& command) {
    job_desc_msg_t* const job = options.describe_job();
    if (job == nullptr) return std::nullopt;
    job->user_id = getuid();
    if (job->array_inx == nullptr) job->array_inx = keep(options.get("array"));
    JobRequest request = slurm::read_job_desc(*job, getuid());
    request.is_batch = command.name == "sbatch" || command.name == "scrontab";
    request.is_het_part = command.part > 0;
    if (!request.tres_per_task) request.tres_per_task = gpus_per_task(options);
    gate::complete_options(request, command.name == "srun" ||
                                        this_release.follows(limits::rules::commands_count_tasks));
    return request;
}

/// Whether the client counts more than is known here.
bool counts_later(const ClientOptions& options, const JobRequest& request) {
    return std::getenv("SLURM_HOSTFILE") != nullptr || request.min_nodes == 0u ||
           (request.tasks_per_node && request.max_nodes != request.min_nodes && request.max_nodes) ||
           std::ranges::any_of(late_options, [&](const char* option) { return options.is_set(option); });
}

/// What slurmctld tells this user about such a job.
Result<std::unique_ptr<slurm::JobWorld>> read_world(const slurm_conf_t& conf, const JobRequest& request,
                                                    const policy::Policy& policy) {
    const passwd* user = getpwuid(getuid());
    if (user == nullptr) return Error{ErrorCode::not_found, "this host does not know the user"};
    const bool names_any =
        request.reservation || request.licenses || policy.has_rules_at(policy::JobEvent::submit);
    return slurm::read_job_world(conf, user->pw_name,
                                 names_any ? slurm::WorldNames::read : slurm::WorldNames::left_out);
}

ClientAnswer no_opinion(std::string why) {
    ClientAnswer answer;
    answer.no_opinion = std::move(why);
    return answer;
}

/// Texts that rules change, with their options.
struct TextOption {
    std::optional<std::string> JobRequest::*field;
    const char* option;
};
constexpr TextOption text_options[] = {
    {&JobRequest::name, "job-name"},           {&JobRequest::account, "account"},
    {&JobRequest::partition, "partition"},     {&JobRequest::qos, "qos"},
    {&JobRequest::reservation, "reservation"}, {&JobRequest::comment, "comment"},
    {&JobRequest::features, "constraint"},     {&JobRequest::prefer, "prefer"},
    {&JobRequest::licenses, "licenses"},       {&JobRequest::array, "array"},
    {&JobRequest::required_nodes, "nodelist"},
};

struct DetailOption {
    JobDetail detail;
    const char* option;
};
constexpr DetailOption detail_options[] = {
    {JobDetail::burst_buffer, "bb"},
    {JobDetail::dependency, "dependency"},
    {JobDetail::excluded_nodes, "exclude"},
    {JobDetail::mail_user, "mail-user"},
    {JobDetail::network, "network"},
    {JobDetail::std_err, "error"},
    {JobDetail::std_in, "input"},
    {JobDetail::std_out, "output"},
    {JobDetail::wckey, "wckey"},
    {JobDetail::work_dir, "chdir"},
    {JobDetail::nice, "nice"},
};

std::optional<std::string> text_of(const model::JobDetails::Written& value) {
    if (const auto* text = std::get_if<std::string>(&value))
        return text->empty() ? std::nullopt : std::optional(*text);
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    return std::nullopt;
}

/// Adds what rules changed. False: options cannot say all of it.
bool add_changes(OptionChanges& changes, const JobRequest& before, const JobRequest& after) {
    JobRequest sizes = after;
    for (const auto& [field, option] : text_options) {
        if (before.*field != after.*field) changes.emplace_back(option, after.*field);
        sizes.*field = before.*field;
    }
    for (const auto& [detail, value] : after.details.written()) {
        const auto row = std::ranges::find(detail_options, detail, &DetailOption::detail);
        if (row == std::end(detail_options)) return false;
        changes.emplace_back(row->option, text_of(value));
    }
    if (!after.details.written_variables().empty()) return false;
    if (gate::keeps_changes(before, before, sizes)) return true; // no size differs
    const auto options = gate::format_changed_options(before, sizes);
    if (!options) return false;
    for (std::string_view word : text::split(*options, ' ')) {
        word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos) return false;
        changes.emplace_back(word.substr(0, equals), std::string(word.substr(equals + 1)));
    }
    return true;
}

/// Whether two requests ask for the same.
bool is_same(const JobRequest& one, const JobRequest& other) {
    const auto same = [&](const auto& field) { return one.*field.request == other.*field.request; };
    const auto same_detail = [&](const DetailOption& row) {
        return one.details.get(row.detail) == other.details.get(row.detail);
    };
    return std::ranges::all_of(slurm::text_fields, same) &&
           std::ranges::all_of(slurm::wide_count_fields, same) &&
           std::ranges::all_of(slurm::narrow_count_fields, same) &&
           std::ranges::all_of(slurm::time_fields, same) && one.memory == other.memory &&
           one.overcommit == other.overcommit && one.exclusive == other.exclusive &&
           std::ranges::all_of(detail_options, same_detail);
}

/// The options that make of the client's job what rules made of it: they are tried here. Empty: there are
/// none.
OptionChanges find_changes(ClientOptions& options, const ClientCommand& command, const JobRequest& before,
                           const JobRequest& after) {
    // The clients keep their counts in `int`.
    const auto fits = [&](const auto& field) {
        return (after.*field.request).value_or(0) <=
               static_cast<std::uint32_t>(std::numeric_limits<int>::max());
    };
    if (!std::ranges::all_of(slurm::wide_count_fields, fits)) return {};
    OptionChanges changes;
    if (before.memory != after.memory) // each excludes the others
        for (const char* const option : {"mem", "mem-per-cpu", "mem-per-gpu"})
            if (options.is_set(option)) changes.emplace_back(option, std::nullopt);
    if (!add_changes(changes, before, after)) return {};
    for (const auto& [option, value] : changes)
        if (!options.set(option, value)) return {};
    if (options.is_set("cpus-per-gpu") && options.is_set("cpus-per-task")) return {};
    const auto made = make_request(options, command);
    if (!made || !is_same(*made, after)) return {};
    return changes;
}

bool has_failed(const Decision& decision) {
    return std::ranges::any_of(decision.events, [](const auto& event) { return event.did == "failed"; });
}

ClientAnswer answer_of(const Decision& decision, policy::Level level) {
    ClientAnswer answer;
    answer.lines = decision.message;
    const bool breaks_limits = decision.forecast.code != RejectCode::none;
    // Advice refuses nothing: with level explain the client goes on, and slurmctld says no.
    answer.is_refused =
        decision.reject != RejectCode::none && (level == policy::Level::enforce || !breaks_limits);
    answer.is_bad_news = answer.is_refused || breaks_limits;
    return answer;
}

} // namespace

ClientAnswer judge_client_job(ClientOptions options, const ClientCommand& command,
                              const std::function<void(std::chrono::milliseconds)>& allow) {
    const slurm_conf_t* conf = host_conf();
    if (conf == nullptr) return no_opinion("slurm.conf is not known");
    const auto policy = load_rules();
    if (!policy) return no_opinion(policy.error().message);
    const policy::Settings& settings = (*policy)->settings();
    allow(settings.client_timeout);
    if (settings.client == policy::ClientUse::off) return no_opinion("site.lua says client = \"off\"");
    if (settings.client == policy::ClientUse::automatic &&
        has_qosgate(slurm::view_text(conf->job_submit_plugins)))
        return no_opinion("slurmctld has qosgate and answers itself");
    auto made = make_request(options, command);
    if (!made) return no_opinion("these options make no job");
    JobRequest& request = *made;
    if (counts_later(options, request))
        return no_opinion("its tasks and nodes follow from options that the client reads only later");
    const JobRequest asked = request;
    const ClientDetails details(request.details, request.name.has_value());
    request.details = model::JobDetails(details, /*job=*/nullptr, nullptr, model::SourceExtent::partial);
    const auto world = read_world(*conf, request, **policy);
    if (!world) return no_opinion(world.error().message);
    if (request.priority != 0u && !(*world)->accounting.is_operator(getuid())) request.priority.reset();
    const std::time_t now = std::time(nullptr);
    const quota::AskedGroups groups;
    const gate::KnownCluster known((*world)->cluster.get(), false, false,
                                   {.now = now, .cluster_read_at = now}, &groups);
    const gate::Gate gate((*world)->accounting, this_release);
    const Decision decision = gate.decide(request, known, policy->get());
    // slurmctld shows rules more than this user may see, and the whole job: limits are judged without them.
    if (!details.asked_for().empty() || has_failed(decision))
        return answer_of(gate.decide(request, known, policy::Policy::none().get()), policy::Level::explain);
    ClientAnswer answer = answer_of(decision, settings.limits);
    if (answer.is_refused || !decision.changed) return answer;
    JobRequest wanted = *decision.changed;
    if (wanted.priority == request.priority) wanted.priority = asked.priority;
    answer.options = find_changes(options, command, asked, wanted);
    if (answer.options.empty())
        answer.lines.push_back(
            text::format("the site's rules change this job in a way that options of {} cannot "
                         "say; it is sent without these changes",
                         command.name));
    return answer;
}

} // namespace qg::plugin
