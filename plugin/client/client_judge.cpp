// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/client_judge.hpp"

#include "client/client_changes.hpp"
#include "client/client_rules.hpp"
#include "client/client_world.hpp"
#include "client/parent_command.hpp"
#include "host/host_conf.hpp"
#include "host/host_log.hpp"
#include "host/running_release.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/gate.hpp"
#include "qosgate/policy/check/directory_findings.hpp"
#include "qosgate/policy/objects/fields.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/slurm/job_world.hpp"
#include "qosgate/slurm/plugin_list.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <unistd.h>

namespace qg::plugin {
namespace {

using model::Decision;
using model::JobDetail;
using model::JobRequest;
using model::RejectCode;

/// What the job description of a client lacks at this moment, or has in another form, by the names that rules
/// use.
constexpr std::array<std::string_view, 10> unknown_fields{
    "script",  "argv",   "script_options", "env",     "submit_host",
    "requeue", "std_in", "std_out",        "std_err", "work_dir"};

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

/// The rules there; none if there are none. Errors: those of reading and compiling them.
Result<std::shared_ptr<const policy::Policy>> load_rules(const RulesPlace& place) {
    if (place.directory.empty()) return policy::Policy::none();
    auto sources = policy::read_loadable_sources(place.directory, {.trusted_user = place.trusted_user});
    if (!sources && sources.error().code == ErrorCode::not_found) return policy::Policy::none();
    if (!sources) return sources.error();
    return policy::compile_policy(std::move(*sources));
}

bool has_failed(const Decision& decision) {
    return std::ranges::any_of(decision.events, [](const auto& event) { return event.effect == "failed"; });
}

void add_lines(ClientAnswer& answer, const std::vector<std::string>& lines, bool are_errors) {
    for (const std::string& line : lines)
        answer.lines.push_back({line, are_errors});
}

/// Adds what a decision says.
void add_decision(ClientAnswer& answer, const Decision& decision, policy::Level level) {
    const bool breaks_limits = decision.forecast.code != RejectCode::none;
    // Advice refuses nothing: with level explain the client goes on, and slurmctld says no.
    answer.is_refused =
        decision.reject != RejectCode::none && (level == policy::Level::enforce || !breaks_limits);
    add_lines(answer, decision.message, answer.is_refused || breaks_limits);
}

/// Adds what rules made of the job, as options.
void add_changed_job(ClientAnswer& answer, ClientOptions& options, const ClientCommand& command,
                     const JobRequest& before, const JobRequest& after) {
    const auto changes = find_changes(options, command, before, after);
    answer.options.insert(answer.options.end(), changes.begin(), changes.end());
    if (changes.empty())
        answer.lines.push_back({text::format("the site's rules change this job in a way that options of {} "
                                             "cannot say; it is sent without these changes",
                                             command.name)});
}

/// Whether slurmctld has answered all that the judgement asked for. If not, says so.
bool is_known(ClientAnswer& answer, const slurm::JobWorld& world) {
    const auto failure = world.accounting.failure();
    if (failure) answer.no_opinion = failure->message;
    return !failure;
}

/// Judges the job by limits and by the rules for jobs; adds to the answer.
void judge_job(ClientAnswer& answer, const policy::Policy& policy, ClientWorld& client_world,
               ClientOptions& options, const ClientCommand& command) {
    auto made = make_request(options, command);
    if (!made) {
        answer.no_opinion = "these options make no job";
        return;
    }
    JobRequest& request = *made;
    if (counts_later(options, request)) {
        answer.no_opinion = "its tasks and nodes follow from options that the client reads only later";
        return;
    }
    const JobRequest asked = request;
    const ClientDetails details(request.details, request.name.has_value());
    request.details = model::JobDetails(details, /*job=*/nullptr, nullptr, model::SourceExtent::partial);
    const bool names_any =
        request.reservation || request.licenses || policy.has_rules_at(policy::JobEvent::submit);
    const auto& world =
        client_world.read(names_any ? slurm::WorldNames::read : slurm::WorldNames::left_out, request);
    if (!world) {
        answer.no_opinion = world.error().message;
        return;
    }
    if (request.priority != 0u && !(*world)->accounting.is_operator(getuid())) request.priority.reset();
    const gate::KnownCluster known = client_world.known();
    const gate::Gate gate((*world)->accounting, running_release());
    const Decision decision = gate.decide(request, known, &policy);
    // slurmctld shows rules more than this user may see, and the whole job: limits are judged without them.
    if (!details.asked_for().empty() || has_failed(decision)) {
        const Decision by_limits = gate.decide(request, known, policy::Policy::none().get());
        if (is_known(answer, **world)) add_decision(answer, by_limits, policy::Level::explain);
        return;
    }
    if (!is_known(answer, **world)) return;
    add_decision(answer, decision, policy.settings().limits);
    if (answer.is_refused || !decision.changed) return;
    JobRequest wanted = *decision.changed;
    if (wanted.priority == request.priority) wanted.priority = asked.priority;
    // Rules read 0 nodes as 1. No option says that without a maximum, and slurmctld refuses what was asked
    // for.
    if (asked.min_nodes == 0u && wanted.min_nodes == 1u && !wanted.max_nodes) {
        wanted.min_nodes = 0;
        if (policy::describe_differences(asked, wanted).empty()) return; // the rules changed nothing
    }
    add_changed_job(answer, options, command, asked, wanted);
}

/// Judges what is left to judge after the rules for clients.
void judge_rest(ClientAnswer& answer, const policy::Policy& policy, ClientWorld& world,
                ClientOptions& options, const ClientCommand& command, std::string_view why_no_limits,
                ChildLine& line) {
    if (!why_no_limits.empty()) {
        answer.no_opinion = why_no_limits;
    } else if (policy.settings().client == policy::ClientUse::automatic &&
               slurm::loads_qosgate(slurm::view_text(host_conf()->job_submit_plugins))) {
        answer.no_opinion = "slurmctld has qosgate and answers itself";
    } else {
        ClientAnswer so_far = answer;
        so_far.no_opinion = "slurmctld did not answer in time";
        line.send(to_bytes(so_far));
        judge_job(answer, policy, world, options, command);
    }
}

/// What the rules for clients say and change.
ClientAnswer apply_client_rules(const policy::Policy& policy, ClientWorld& world, ClientOptions& options,
                                const ClientCommand& command) {
    const policy::RuleOutcome outcome = run_client_rules(policy, world, options, command);
    ClientAnswer answer;
    answer.is_refused = outcome.rejected;
    add_lines(answer, outcome.warnings, /*are_errors=*/false);
    if (outcome.rejected)
        for (const std::string_view line : text::split(outcome.reject_message, '\n'))
            answer.lines.push_back({std::string(line), true});
    answer.options = outcome.options;
    return answer;
}

ClientAnswer without_opinion(std::string why) {
    ClientAnswer answer;
    answer.no_opinion = std::move(why);
    return answer;
}

} // namespace

ClientAnswer judge_client_job(ClientOptions options, const ClientCommand& command,
                              std::string_view why_no_limits, ChildLine& line) {
    const slurm_conf_t* conf = host_conf();
    if (conf == nullptr) return without_opinion("slurm.conf is not known");
    const RulesPlace place = find_rules_place(*conf);
    const auto policy = load_rules(place);
    if (!policy) {
        ClientAnswer answer = without_opinion(policy.error().message);
        if (place.is_tried)
            answer.lines.push_back({text::format("qosgate: the rules for clients are not run: {}",
                                                 text::printable(policy.error().message, max_line_length))});
        return answer;
    }
    const policy::Settings& settings = (*policy)->settings();
    line.allow(settings.client_timeout);
    if (settings.client == policy::ClientUse::off) return without_opinion("site.lua says client = \"off\"");
    if ((*policy)->has_rules_at(policy::JobEvent::client)) {
        // Counts if the deadline comes while the rules run.
        ClientAnswer too_late = without_opinion("the site's rules for clients did not end in time");
        too_late.lines.push_back(
            {"qosgate: the site's rules for clients were not applied: they, or what they asked "
             "slurmctld, took too long"});
        line.send(to_bytes(too_late));
    }
    ClientWorld world(*conf);
    ClientAnswer answer = apply_client_rules(**policy, world, options, command);
    if (!answer.is_refused) judge_rest(answer, **policy, world, options, command, why_no_limits, line);
    world.remember();
    return answer;
}

} // namespace qg::plugin
