// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/gate.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/advice.hpp"
#include "qosgate/gate/answer.hpp"
#include "qosgate/gate/decision_log.hpp"
#include "qosgate/gate/effort.hpp"
#include "qosgate/gate/het_parts.hpp"
#include "qosgate/gate/job_update.hpp"
#include "qosgate/gate/site_rules.hpp"
#include "qosgate/gate/submit_line.hpp"
#include "qosgate/gate/unread.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using limits::Strictness;
using model::Decision;
using model::JobRequest;
using model::RejectCode;
using policy::Level;

/// Whether the partitions of a job are known. A name that none has may be one that slurmctld just made.
bool knows_partitions_of(const Resolved& resolved, KnownCluster known) {
    return known.cluster != nullptr && (!known.may_have_changed || resolved.partitions.unknown.empty());
}

bool is_failure(const LogLine& line) {
    return line.level == LogLevel::error;
}

/// Runs the site's rules over a job, or over one that is changed. Returns whether they rejected it.
bool run_rules(Decision& decision, const JobRequest& request, const Resolved& resolved, KnownCluster known,
               const policy::Policy& policy, std::vector<policy::FieldWriter>* writers,
               const JobUpdate* change = nullptr) {
    policy::Outcome outcome = run_site_rules(policy, request, resolved, knows_partitions_of(resolved, known));
    if (change == nullptr) decision.changed = std::move(outcome.changed); // nobody changes what is changed
    for (const policy::RuleEvent& event : outcome.events)
        if (change == nullptr || event.kind != policy::EventKind::changed)
            decision.log.push_back(log_rule({request, resolved.view(), change}, event));
    if (outcome.rejected) {
        decision.reject = RejectCode::access_denied;
        decision.message = {outcome.reject_message};
        // Where a rule failed, the message itself says whom to tell.
        if (outcome.events.back().kind == policy::EventKind::rejected)
            append_contact(decision.message, policy.settings());
        return true;
    }
    decision.message = std::move(outcome.warnings);
    if (writers != nullptr) *writers = std::move(outcome.writers);
    return false;
}

/// Puts in front of what limits say, if anything, that rules set what they look at.
void blame(Decision& decision, std::size_t told_before, std::span<const policy::FieldWriter> writers) {
    if (decision.message.size() == told_before || !decision.changed) return;
    if (auto line = blame_rules(writers, *decision.changed))
        decision.message.insert(decision.message.begin() + static_cast<std::ptrdiff_t>(told_before),
                                *std::move(line));
}

/// Whether slurmctld throws the gate's words away and refuses with its own: in a mere test of a job, which
/// has no effects, for limits and for unknown partitions. The gate then answers for it, with the same code.
bool loses_words(RejectCode code, const JobRequest& request) {
    return (code == RejectCode::accounting_policy || code == RejectCode::invalid_partition) &&
           is_test_only(request.submit_line);
}

/// Judges what slurmctld will judge. In `explain` the gate adds words to slurmctld's own answer; in `enforce`
/// it refuses itself, also what can never start, in the words of DenyOnLimit.
/// `told_before` is how many lines of the message are others', of rules.
void judge(Decision& decision, const Case& at, const policy::Settings& settings, std::size_t told_before) {
    const bool enforces = settings.limits == Level::enforce;
    const auto look = [&at](Strictness strictness) {
        return look_ahead(at.resolved, at.request, at.cluster, at.release, strictness);
    };
    const auto [outlook, forecast, strictness] = judge_with(enforces, look);
    decision.forecast = forecast;
    const bool is_refused = outlook.forecast.code != RejectCode::none;
    const Wait* wait = outlook.wait();
    const bool never_starts = wait && wait->is_permanent;
    if (is_refused)
        append(decision.message, refusal_lines(outlook, at.resolved.view()));
    else
        append(decision.message, wait_lines(outlook, at.request, at.resolved.view()));
    if ((is_refused || never_starts) && at.may_suggest)
        append(decision.message, suggestion_lines(outlook, at, strictness));
    if (is_refused && (enforces || loses_words(outlook.forecast.code, at.request)))
        decision.reject = outlook.forecast.code;
    if (enforces && !is_refused && never_starts) decision.reject = RejectCode::accounting_policy;
    log_judgement(decision, {at.request, at.resolved.view()}, outlook, told_before);
    if (is_refused || never_starts) append_contact(decision.message, settings);
}

const policy::Settings& settings_of(const policy::Policy* policy) {
    static const policy::Settings defaults;
    return policy ? policy->settings() : defaults;
}

void log_unchecked(Decision& decision, const LoggedJob& job, const std::string& why) {
    decision.log.push_back(log_limits(job, "unchecked", "", std::span(&why, 1)));
}

void log_problem(Decision& decision, const Resolved& resolved, const LoggedJob& job) {
    if (!resolved.has_no_accounts()) // so it stays
        log_unchecked(decision, job, resolved.known.error().message);
}

/// Whether a job makes too much work to be looked at; this is logged.
bool is_too_much(Decision& decision, const Resolved& resolved, const LoggedJob& job) {
    const auto why = why_too_much(job.request, resolved);
    if (why) log_unchecked(decision, job, *why);
    return why.has_value();
}

/// Judges a job that all limits leave room for: where there is something to say about it nevertheless, with
/// the whole view.
void judge_with_room(Decision& decision, const Case& at, const policy::Settings& settings,
                     std::size_t told_before) {
    if (is_clear(at.resolved, at.request, at.release)) {
        decision.forecast.time_limit = at.resolved.job.time_limit;
        log_judgement(decision, {at.request, at.resolved.view()}, {}, told_before);
        return;
    }
    const Resolved whole(at.request, &at.cluster, at.provider, at.release);
    judge(decision, {whole, at.request, at.cluster, at.provider, at.release, at.rules, at.may_suggest},
          settings, told_before);
}

/// Whether the gate has an opinion on limits. Without the partitions as they are now nobody knows which
/// partition QOS applies, and that one hides limits of all others.
bool judges_limits(KnownCluster known, const policy::Settings& settings) {
    return known.cluster != nullptr && !known.may_have_changed && settings.limits != Level::off;
}

/// Without the view nobody knows anything, either.
void judge_where_known(Decision& decision, const Resolved& resolved, const JobRequest& request,
                       KnownCluster known, const quota::QuotaProvider& provider, limits::Release release,
                       const policy::Settings& settings, const RulesRun* rules) {
    const LoggedJob logged{request, resolved.view()};
    if (!resolved.known) log_problem(decision, resolved, logged);
    if (!judges_limits(known, settings)) {
        if (settings.limits == Level::enforce)
            log_unchecked(decision, logged, "the partitions are not known, or changed a moment ago");
        return;
    }
    if (is_too_much(decision, resolved, logged)) return;
    const std::size_t told_before = decision.message.size();
    auto advice = advice_lines(request, resolved.view(), *known.cluster);
    const Case at{resolved, request, *known.cluster, provider, release, rules, advice.empty()};
    append(decision.message, std::move(advice));
    if (resolved.view().leaves_room)
        judge_with_room(decision, at, settings, told_before);
    else
        judge(decision, at, settings, told_before);
}

/// Judges a part of a heterogeneous job that is accepted by itself together with those before it.
[[gnu::cold]] void judge_with_other_parts(Decision& decision, const JobRequest& request,
                                          const Resolved& resolved, HetParts& parts, limits::Release release,
                                          const policy::Settings& settings) {
    if (!resolved.known || decision.reject != RejectCode::none ||
        decision.forecast.code != RejectCode::none || !resolved.view().enforce.limits)
        return;
    auto line = parts.add(resolved, release);
    if (!line) return;
    const bool enforces = settings.limits == Level::enforce;
    if (enforces) decision.reject = RejectCode::accounting_policy;
    decision.log.push_back(
        log_limits({request, resolved.view()}, enforces ? "refused" : "warned", "", std::span(&*line, 1)));
    decision.message.push_back(*std::move(line));
    append_contact(decision.message, settings);
}

} // namespace

Decision Gate::decide(const JobRequest& request, KnownCluster known, const policy::Policy* policy,
                      HetParts* parts) const {
    if (request.unread)
        return answer_unread(request, Resolved(request, known.cluster, provider_, release_).view(), policy);
    Decision decision;
    const auto resolve = [&](const JobRequest& job) {
        // What leaves room for one part may not for all of them.
        return Resolved(job, known.cluster, provider_, release_, std::nullopt,
                        parts ? ViewKind::whole : ViewKind::may_leave_room);
    };
    std::optional<RulesRun> rules;
    const auto judge_as = [&](const JobRequest& job, const Resolved& resolved) {
        judge_where_known(decision, resolved, job, known, provider_, release_, settings_of(policy),
                          rules ? &*rules : nullptr);
        if (parts && judges_limits(known, settings_of(policy)))
            judge_with_other_parts(decision, job, resolved, *parts, release_, settings_of(policy));
    };
    const Resolved resolved = resolve(request);
    std::vector<policy::FieldWriter> writers; // of what limits depend on
    if (policy && policy->has_rules()) {
        if (run_rules(decision, request, resolved, known, *policy, &writers)) return decision;
        rules.emplace(request, *policy, std::ranges::any_of(decision.log, is_failure));
    }
    const std::size_t told_before = decision.message.size();
    if (decision.changed)
        judge_as(*decision.changed, resolve(*decision.changed));
    else
        judge_as(request, resolved);
    blame(decision, told_before, writers);
    if (decision.reject != RejectCode::none) decision.changed.reset();
    return decision;
}

Decision Gate::decide_update(JobUpdate update, KnownCluster known, const policy::Policy* policy) const {
    if (update.after.unread)
        return answer_unread(update.after, Resolved(update.after, known.cluster, provider_, release_).view(),
                             policy, &update);
    const policy::Settings& settings = settings_of(policy);
    const bool has_rules = policy != nullptr && policy->has_rules();
    Decision decision;
    if (!has_rules && !judges_limits(known, settings)) return decision;

    const std::uint32_t requester = update.after.submit_uid;
    Resolved after(update.after, known.cluster, provider_, release_, requester);
    // No change is one of an array: its text is slurmctld's own here, and need not be a list of indices.
    if (after.job.array_tasks == 0) after.job.array_tasks = 1;
    if (has_rules && run_rules(decision, update.after, after, known, *policy, nullptr, &update))
        return decision;
    if (!judges_limits(known, settings)) return decision;

    Resolved before(update.before, known.cluster, provider_, release_, requester);
    if (!before.known || !after.known) {
        const Resolved& unknown = after.known ? before : after;
        log_problem(decision, unknown, {update.after, unknown.view(), &update});
        return decision;
    }
    if (is_too_much(decision, before, {update.before, before.view(), &update}) ||
        is_too_much(decision, after, {update.after, after.view(), &update}))
        return decision;
    judge_update(decision, update, before, after, *known.cluster, release_, settings);
    return decision;
}

} // namespace qg::gate
