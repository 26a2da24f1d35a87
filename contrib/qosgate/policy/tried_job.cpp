// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/tried_job.hpp"

#include "common/default_release.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer/advice.hpp"
#include "qosgate/gate/answer/answer.hpp"
#include "qosgate/gate/answer/not_looked_at.hpp"
#include "qosgate/gate/answer/submit_line.hpp"
#include "qosgate/gate/decide/site_rules.hpp"
#include "qosgate/gate/gate.hpp"
#include "qosgate/gate/partitions/attempt.hpp"
#include "qosgate/gate/partitions/closed_partitions.hpp"
#include "qosgate/gate/partitions/partition_rules.hpp"
#include "qosgate/gate/predict/het_parts.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/slurm/reject_codes.hpp"

#include <algorithm>
#include <utility>

namespace qg::cli {
namespace {

using model::RejectCode;

std::string first_of(const std::optional<std::string>& asked, std::string_view otherwise) {
    return asked ? *asked : std::string(otherwise);
}

/// The chain of associations ends at the root, unless slurmctld hides those above.
bool hides_limits(const model::AccountView& view) {
    const auto& chain = view.associations;
    return (!chain.empty() && !text::iequals(chain.back().account, "root")) ||
           std::ranges::any_of(chain, &model::Association::hides_limits) ||
           std::ranges::any_of(view.partitions, &model::PartitionChoice::is_hidden);
}

gate::KnownCluster known_cluster(const JudgedWorld& world) {
    return gate::KnownCluster::as_read(world.cluster.get(), {.now = world.now, .cluster_read_at = world.now},
                                       world.groups.get());
}

gate::ResolvedRequest resolve(const model::JobRequest& request, const JudgedWorld& world) {
    return gate::resolve(request,
                         {*world.cluster, *world.accounting, default_release(), known_cluster(world)});
}

/// Sets account, partition and QOS: what the request names, or its defaults.
void name_place(TriedPart& part, const model::JobRequest& request, const model::AccountView& view) {
    part.account = first_of(request.account, view.account);
    part.partition =
        first_of(request.partition, view.partitions.empty() ? "" : view.partitions.front().partition->name);
    part.qos = first_of(request.qos, view.job_qos.name);
}

/// A part of which nothing is decided yet. `resolved` is `request`.
TriedPart undecided_part(const model::JobRequest& request, const gate::ResolvedRequest& resolved) {
    TriedPart part{.request = request};
    name_place(part, request, resolved.view());
    return part;
}

/// Whether slurmctld refuses a job for its --nice, before it asks any plugin.
bool has_forbidden_nice(const model::JobRequest& request, const JudgedWorld& world) {
    const model::DetailValue nice = request.details.get(model::JobDetail::nice);
    return nice.kind == model::DetailValue::Kind::number && nice.number < 0 &&
           !world.accounting->is_operator(request.submit_uid);
}

/// `script` is what the site's script did with it; null: there is none.
TriedPart try_part(const model::JobRequest& request, const TriedScript* script, const JudgedWorld& world,
                   const policy::Policy& policy, gate::HetParts* others) {
    gate::KnownCluster known = known_cluster(world);
    if (script != nullptr) known.script_writes = &script->writes;
    const gate::ResolvedRequest resolved = resolve(request, world);
    TriedPart part = undecided_part(request, resolved);
    if (has_forbidden_nice(request, world)) {
        part.decision.forecast.code = RejectCode::invalid_nice;
        part.blocked_by = {"only operators may ask for a negative --nice"};
        return part;
    }
    part.decision = gate::Gate(*world.accounting, default_release()).decide(request, known, &policy, others);
    part.hides_limits = hides_limits(resolved.view());
    if (request.unread) return part;
    // Once more for what the decision does not keep: rules know nothing but the job and these records, so
    // they do the same again.
    if (policy.has_rules_at(policy::JobEvent::submit))
        part.rules = gate::run_site_rules(policy, resolved, &part.costs);
    const model::JobRequest& left = part.decision.changed ? *part.decision.changed : request;
    const gate::ResolvedRequest sent = gate::resolve(left, resolved.context);
    name_place(part, left, sent.view());
    part.places = sent.job.array_tasks;
    part.not_looked_at = gate::list_not_looked_at(sent);
    gate::Advice advice = gate::find_advice(sent, /*knows_reservations=*/true);
    part.blocked_by = std::move(advice.lines);
    auto closed = gate::judge_closed(sent);
    part.groups_not_judged = std::move(closed.not_judged);
    part.closed_error = closed.error;
    if (!closed.blocked.empty() &&
        std::ranges::find(part.blocked_by, closed.blocked) == part.blocked_by.end())
        part.blocked_by.push_back(std::move(closed.blocked));
    part.is_blocked_for_ever = !part.blocked_by.empty() && advice.handling == gate::Handling::accepts &&
                               closed.error == gate::ClosedError::none;
    if (part.blocked_by.empty())
        part.blocked_by =
            gate::find_too_small_partitions(sent, gate::size_at_attempt(sent.counter, sent.job, sent.view()));
    return part;
}

/// A part that the script refuses: the rules are not asked.
TriedPart refused_by_script(const model::JobRequest& request, const TriedScript& script,
                            const JudgedWorld& world) {
    TriedPart part = undecided_part(request, resolve(request, world));
    part.decision.reject = RejectCode::access_denied;
    part.decision.message = script.said;
    part.script = script;
    return part;
}

/// What a client says of a job that slurmctld refuses.
std::string_view refusal_words(std::string_view client) {
    if (client == "salloc") return "Job submit/allocate failed";
    return client == "srun" ? "Unable to allocate resources" : "Batch job submission failed";
}

/// What a client says when slurmctld refuses a job for the moment. It submits the job again, up to 15 times.
std::string_view retry_words(std::string_view client) {
    if (client == "salloc") return "Slurm job queue full, sleeping and retrying.";
    return client == "srun" ? "Slurm controller not responding, sleeping and retrying."
                            : "Slurm temporarily unable to accept job, sleeping and retrying";
}

std::vector<std::string> refusal_of_client(std::string_view client,
                                           const std::vector<slurm::ClientLine>& said) {
    std::vector<std::string> lines;
    for (const slurm::ClientLine& line : said)
        lines.push_back(text::format("{}: {}{}", client, line.is_error ? "error: " : "", line.text));
    lines.push_back(text::format("{}: error: cli_filter plugin terminated with error", client));
    return lines;
}

} // namespace

std::string_view to_string(TriedStatus status) noexcept {
    switch (status) {
    case TriedStatus::accepted: return "accepted";
    case TriedStatus::refused: return "refused";
    case TriedStatus::blocked: return "blocked";
    }
    return "";
}

RejectCode TriedPart::refusal() const noexcept {
    return decision.reject != RejectCode::none ? decision.reject : decision.forecast.code;
}

std::string TriedPart::refusal_text() const {
    if (script && script->is_refused) return script->error;
    if (refusal() != RejectCode::none) return slurm::describe_slurm_error(refusal());
    switch (closed_error) {
    case gate::ClosedError::access_denied: return slurm::describe_slurm_error(RejectCode::access_denied);
    case gate::ClosedError::missing_group: return slurm::describe_missing_group();
    case gate::ClosedError::not_available: return slurm::describe_unavailable_partition();
    case gate::ClosedError::none: break;
    }
    return "";
}

std::string_view TriedPart::why_unchecked() const noexcept {
    const auto found = std::ranges::find(decision.events, "unchecked", &model::DecisionEvent::effect);
    return found == decision.events.end() ? std::string_view() : std::string_view(found->text);
}

TriedStatus TriedPart::status() const noexcept {
    if (!refused_by().empty()) return TriedStatus::refused;
    return blocked_by.empty() ? TriedStatus::accepted : TriedStatus::blocked;
}

bool TriedPart::is_let_in() const noexcept {
    return status() == TriedStatus::accepted || (status() == TriedStatus::blocked && is_blocked_for_ever);
}

bool TriedPart::never_starts() const noexcept {
    return is_let_in() && (status() == TriedStatus::blocked || decision.forecast.never_starts);
}

std::string_view TriedPart::refused_by() const noexcept {
    if (client_refusal) return "client";
    if (script && script->is_refused) return "script";
    if (refusal() == RejectCode::none) return "";
    if (decision.reject == RejectCode::none) return "slurmctld";
    return rules.rejected && decision.reject == RejectCode::access_denied ? "rules" : "qosgate";
}

bool TriedJob::hides_limits() const noexcept {
    return std::ranges::any_of(parts, &TriedPart::hides_limits);
}

std::string_view TriedJob::groups_not_judged() const noexcept {
    for (const TriedPart& part : parts)
        if (!part.groups_not_judged.empty()) return part.groups_not_judged;
    return {};
}

std::string_view TriedJob::why_script_not_run() const noexcept {
    for (const TriedPart& part : parts)
        if (part.script && !part.script->why_not_run.empty()) return part.script->why_not_run;
    return {};
}

const TriedPart& TriedJob::decisive() const noexcept {
    // qosgate sees all parts before slurmctld judges the first.
    if (parts.back().decision.reject != RejectCode::none) return parts.back();
    const auto first = [&](TriedStatus status, bool is_let_in) {
        return std::ranges::find_if(parts, [&](const TriedPart& part) {
            return part.status() == status && part.is_let_in() == is_let_in;
        });
    };
    for (const auto found : {first(TriedStatus::refused, false), first(TriedStatus::blocked, false),
                             first(TriedStatus::blocked, true)})
        if (found != parts.end()) return *found;
    const auto waiting = std::ranges::find_if(parts, &TriedPart::never_starts);
    return waiting == parts.end() ? parts.back() : *waiting;
}

bool TriedJob::is_let_in() const noexcept {
    return std::ranges::all_of(parts, &TriedPart::is_let_in);
}

std::vector<std::string> TriedJob::words_about(const TriedPart& part) const {
    std::vector<std::string> lines = part.decision.message;
    if (!is_let_in()) gate::word_for_refused(lines);
    return lines;
}

std::vector<std::string> TriedJob::user_reads() const {
    const TriedPart& last = decisive();
    if (last.client_refusal) return refusal_of_client(client, *last.client_refusal);
    // slurmctld takes a heterogeneous job only if it takes all parts.
    const std::string_view level = is_let_in() ? "" : "error: ";
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string number = parts[i].request.is_het_part ? text::format("{}: ", i) : "";
        for (const std::string& line : parts[i].decision.message)
            lines.push_back(text::format("{}: {}{}{}", client, level, number, line));
    }
    const std::string why = last.refusal_text();
    if (why.empty()) return lines;
    if (gate::is_test_only(last.request.submit_line)) {
        lines.push_back("allocation failure: " + why);
        return lines;
    }
    if (last.refused_by() == "slurmctld" && !last.decision.forecast.reason.empty())
        lines.push_back(text::format("{}: error: {}", client, last.decision.forecast.reason));
    const bool names_several =
        last.request.partition && last.request.partition->find(',') != std::string::npos;
    if (last.refused_by() == "slurmctld" && last.refusal() == RejectCode::invalid_partition && !names_several)
        lines.push_back(text::format("{}: error: invalid partition specified: {}", client,
                                     last.request.partition.value_or("(null)")));
    if (last.refusal() == RejectCode::try_again)
        lines.push_back(text::format("{}: error: {}", client, retry_words(client)));
    lines.push_back(text::format("{}: error: {}: {}", client, refusal_words(client), why));
    return lines;
}

TriedJob try_job(std::span<const model::JobRequest> requests, std::span<const TriedScript> scripts,
                 const JudgedWorld& world, const policy::Policy& policy) {
    gate::HetParts others;
    TriedJob job;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const TriedScript* script = i < scripts.size() ? &scripts[i] : nullptr;
        if (script != nullptr && script->is_refused) {
            job.parts.push_back(refused_by_script(requests[i], *script, world));
            break;
        }
        others.begin_part(static_cast<std::uint32_t>(i)); // one that is refused by itself is not added
        TriedPart& part = job.parts.emplace_back(
            try_part(requests[i], script, world, policy, requests.size() > 1 ? &others : nullptr));
        if (script != nullptr) {
            part.script = *script;
            part.decision.message.insert(part.decision.message.begin(), script->said.begin(),
                                         script->said.end());
        }
        if (job.parts.back().decision.reject != RejectCode::none) break;
    }
    return job;
}

void refuse_without_room(TriedJob& job, const model::JobTable& table) {
    // slurmctld asks its plugins about all parts before it makes a record of the first.
    if (job.parts.back().decision.reject != RejectCode::none) return;
    const std::uint64_t kept_free = default_release().follows(limits::rules::fills_job_table) ? 0 : 1;
    std::uint64_t taken = table.taken;
    for (TriedPart& part : job.parts) {
        const bool is_refused_before = part.refusal() == RejectCode::invalid_nice || part.places == 0;
        if (is_refused_before) return;
        if (taken + part.places + kept_free > table.max) {
            part.decision.forecast = {};
            part.decision.forecast.code = RejectCode::try_again;
            part.blocked_by = {text::format("slurmctld's table of jobs has no room: MaxJobCount {}{}, in use "
                                            "{}, this job takes {}; ended jobs "
                                            "leave it after MinJobAge",
                                            table.max, kept_free == 0 ? "" : ", of which one stays free",
                                            taken, part.places)};
            return;
        }
        taken += part.places;
    }
}

void refuse_what_waits(TriedJob& job) {
    for (TriedPart& part : job.parts) {
        gate::word_for_refused(part.decision.message); // as the plugin does
        if (part.status() != TriedStatus::accepted) continue;
        const std::string_view reason = part.decision.forecast.pending_reason;
        const bool waits = !reason.empty() && !part.decision.forecast.may_start;
        if (!waits && !part.request.starts_later()) {
            part.not_looked_at.emplace_back("whether it can start at once (--immediate)");
            continue;
        }
        part.blocked_by.push_back(
            waits ? text::format("it must start at once (--immediate), and would wait because of {}", reason)
                  : "it must start at once (--immediate), and may start only later");
        if (!waits || limits::find_reason(reason).empty()) continue;
        part.decision.forecast = {};
        part.decision.forecast.code = RejectCode::accounting_policy;
    }
}

void end_at_refusal(TriedJob& job) {
    const auto refused = std::ranges::find(job.parts, "slurmctld", &TriedPart::refused_by);
    if (refused != job.parts.end()) job.parts.erase(refused + 1, job.parts.end());
}

TriedJob refused_by_client(std::vector<slurm::ClientLine> lines) {
    TriedJob job;
    TriedPart& part = job.parts.emplace_back();
    for (const slurm::ClientLine& line : lines)
        part.decision.message.push_back(line.text);
    part.client_refusal = std::move(lines);
    return job;
}

} // namespace qg::cli
