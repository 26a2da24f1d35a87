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
#include "qosgate/slurm/job_world.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <memory>

#include <pwd.h>
#include <unistd.h>

namespace qg::plugin {
namespace {

using model::Decision;
using model::JobDetail;
using model::JobRequest;
using model::RejectCode;

constexpr auto this_release = limits::Release::from_version_number(SLURM_VERSION_NUMBER);

/// What the job description of a client lacks at this moment, by the names that rules use.
constexpr std::array<std::string_view, 6> unknown_fields{"script", "argv",        "script_options",
                                                         "env",    "submit_host", "requeue"};

/// The details of a job that is not complete yet. It remembers that a rule has asked for what it lacks.
class ClientDetails final : public model::DetailReader {
  public:
    explicit ClientDetails(const model::JobDetails& known) : known_(known) {}

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
        if (std::ranges::find(unknown_fields, field) != unknown_fields.end()) asked_for_ = field;
    }

    /// The last unknown field that a rule asked for; empty: none.
    [[nodiscard]] std::string_view asked_for() const noexcept { return asked_for_; }

  private:
    model::JobDetails known_;
    mutable std::string_view asked_for_; ///< one thread judges
};

bool has_qosgate(std::string_view job_submit_plugins) {
    return std::ranges::any_of(text::split(job_submit_plugins, ','), [](std::string_view name) {
        name = text::trim(name);
        return name == "qosgate" || name == "job_submit/qosgate";
    });
}

/// The rules beside slurm.conf; none if this host has none. Errors: those of reading and compiling them.
Result<std::shared_ptr<const policy::Policy>> load_rules() {
    const slurm_conf_t* conf = host_conf();
    const std::string_view file = conf == nullptr ? std::string_view() : slurm::view_text(conf->slurm_conf);
    if (file.empty()) return policy::Policy::none();
    auto read = policy::read_all_sources(std::filesystem::path(file).parent_path() / "qosgate.d",
                                         {.is_needed = false});
    if (!read && read.error().code == ErrorCode::not_found) return policy::Policy::none();
    if (!read) return read.error();
    for (const policy::Finding& finding : read->findings)
        if (finding.stops_loading)
            return Error{ErrorCode::unavailable, text::format("{}: {}", finding.file, finding.message)};
    return policy::compile_policy(std::move(read->sources));
}

/// A text that is never freed: the process ends.
char* keep(const std::optional<std::string>& text) {
    return text ? (new std::string(*text))->data() : nullptr;
}

/// Adds what a client puts into the description only when it has checked its options.
void complete(job_desc_msg_t& job, const ClientOptions& options) {
    job.user_id = getuid();
    if (job.array_inx == nullptr) job.array_inx = keep(options.get("array"));
    if (job.std_out == nullptr) job.std_out = keep(options.get("output"));
    if (job.std_err == nullptr) job.std_err = keep(options.get("error"));
    if (job.std_in == nullptr) job.std_in = keep(options.get("input"));
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

/// Writes what rules changed as options. Empty: options cannot say all of it.
bool write_options(ClientAnswer& answer, const JobRequest& before, const JobRequest& after) {
    JobRequest sizes = after;
    for (const auto& [field, option] : text_options) {
        if (before.*field != after.*field) answer.options.emplace_back(option, after.*field);
        sizes.*field = before.*field;
    }
    for (const auto& [detail, value] : after.details.written()) {
        const auto row = std::ranges::find(detail_options, detail, &DetailOption::detail);
        if (row == std::end(detail_options)) return false;
        answer.options.emplace_back(row->option, text_of(value));
    }
    if (!after.details.written_variables().empty()) return false;
    if (gate::keeps_changes(before, before, sizes)) return true; // no size differs
    const auto options = gate::format_changed_options(before, sizes);
    if (!options) return false;
    for (std::string_view word : text::split(*options, ' ')) {
        word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos) return false;
        answer.options.emplace_back(word.substr(0, equals), std::string(word.substr(equals + 1)));
    }
    return true;
}

ClientAnswer answer_of(const Decision& decision, const JobRequest& request, policy::Level level) {
    ClientAnswer answer;
    answer.lines = decision.message;
    const bool breaks_limits = decision.forecast.code != RejectCode::none;
    // Advice refuses nothing: with level explain the client goes on, and slurmctld says no.
    answer.is_refused =
        decision.reject != RejectCode::none && (level == policy::Level::enforce || !breaks_limits);
    answer.is_bad_news = answer.is_refused || breaks_limits;
    if (!answer.is_refused && decision.changed && !write_options(answer, request, *decision.changed))
        answer.lines.emplace_back(
            "the site's rules change more of this job than its options can say; slurmctld "
            "may see another job");
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
    job_desc_msg_t* const job = options.describe_job();
    if (job == nullptr) return no_opinion("these options make no job");
    complete(*job, options);

    JobRequest request = slurm::read_job_desc(*job, getuid());
    request.is_batch = command.name == "sbatch";
    request.is_het_part = command.part > 0;
    gate::complete_options(request);
    const ClientDetails details(request.details);
    request.details = model::JobDetails(details, job, nullptr, model::SourceExtent::partial);
    const auto world = read_world(*conf, request, **policy);
    if (!world) return no_opinion(world.error().message);
    if (request.priority != 0u && !(*world)->accounting.is_operator(getuid())) request.priority.reset();
    const std::time_t now = std::time(nullptr);
    const quota::AskedGroups groups;
    const gate::KnownCluster known((*world)->cluster.get(), false, false,
                                   {.now = now, .cluster_read_at = now}, &groups);
    const Decision decision =
        gate::Gate((*world)->accounting, this_release).decide(request, known, policy->get());
    if (!details.asked_for().empty())
        return no_opinion(
            text::format("a rule reads job.{}, which only slurmctld knows", details.asked_for()));
    return answer_of(decision, request, settings.limits);
}

} // namespace qg::plugin
