// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/gate.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/with_result_of.hpp"
#include "qosgate/gate/answer/advice.hpp"
#include "qosgate/gate/answer/answer.hpp"
#include "qosgate/gate/answer/submit_line.hpp"
#include "qosgate/gate/decide/decision_log.hpp"
#include "qosgate/gate/decide/site.hpp"
#include "qosgate/gate/decide/site_rules.hpp"
#include "qosgate/gate/decide/unusable_request.hpp"
#include "qosgate/gate/partitions/closed_partitions.hpp"
#include "qosgate/gate/partitions/in_partition.hpp"
#include "qosgate/gate/predict/het_parts.hpp"
#include "qosgate/gate/rules/update_rules.hpp"
#include "qosgate/policy/lua/budget.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace qg::gate {
namespace {

using limits::Strictness;
using model::Decision;
using model::JobRequest;
using model::RejectCode;
using policy::Level;

bool is_failure(const LogLine& line) {
    return line.level == LogLevel::error;
}

/// Records what the rules did with a new or changed job; they may have rejected it.
void take_outcome(Decision& decision, policy::RuleOutcome& outcome, const LoggedJob& job, const Site& site) {
    const bool is_written = job.change == nullptr && !outcome.rejected;
    for (const policy::RuleEvent& event : outcome.events)
        if (is_written || event.kind != policy::EventKind::changed) log_rule(decision, job, event);
    decision.message = std::move(outcome.warnings);
    if (!outcome.rejected) return;
    decision.reject = RejectCode::access_denied;
    text::for_each_part(outcome.reject_message, '\n',
                        [&](std::string_view line) { decision.message.emplace_back(line); });
    if (outcome.events.empty()) log_limits(decision, job, "refused", "", decision.message); // by no rule
    // The message about a failed rule already contains the contact.
    if (!outcome.has_failed) append_contact(decision.message, site.settings());
}

constexpr std::string_view unknown_partitions = "slurmctld has just started";
constexpr std::string_view changed_partition = "a partition changed a moment ago";

/// Rejects a job, or a change of one, whose limits can be judged only in a moment.
[[gnu::cold]] void ask_to_submit_again(Decision& decision, const LoggedJob& job, std::string_view why) {
    std::string line =
        text::format("the limits of this {} cannot be checked yet, because {}; try again in a moment{}",
                     job.change ? "change" : "job", why,
                     job.change || is_test_only(job.request.submit_line)
                         ? ""
                         : " (sbatch, salloc and srun do that by themselves)");
    decision.reject = RejectCode::try_again;
    log_limits(decision, job, "refused", "", std::span(&line, 1));
    decision.message.push_back(std::move(line));
}

/// Answers a request that rules do not see: its sender must wait, or its texts were too large to be read.
[[gnu::cold]] void answer_without_rules(Decision& decision, const ResolvedRequest& resolved,
                                        const LoggedJob& job, const Site& site, bool must_wait) {
    if (must_wait) return ask_to_submit_again(decision, job, unknown_partitions);
    decision = answer_unread(resolved, job, site.enforces_later() ? site.as_it_was() : site);
}

/// Runs the site's rules over a new job. Empty: there are none, or the job is rejected.
std::optional<RulesRun> run_rules(Decision& decision, const ResolvedRequest& resolved, const Site& site,
                                  std::optional<model::Qos>& own_qos) {
    if (!site.has_rules_at(policy::JobEvent::submit)) return std::nullopt;
    policy::RuleOutcome outcome = run_site_rules(*site.policy, resolved, /*costs=*/nullptr, &own_qos);
    const LoggedJob job{resolved.request, resolved.view()};
    if (outcome.has_failed && refuse_without_partition(decision, resolved, job, site.settings()))
        return std::nullopt;
    take_outcome(decision, outcome, job, site);
    if (outcome.rejected) return std::nullopt;
    decision.changed = std::move(outcome.changed);
    return RulesRun{resolved.request, *site.policy, std::ranges::any_of(decision.log, is_failure),
                    std::move(outcome.writers), std::move(outcome.notes)};
}

/// Runs the site's rules over a change. `before` may be null if no rule reads it.
void run_rules_at_change(Decision& decision, const model::JobUpdate& update, const ResolvedRequest& after,
                         const ResolvedRequest* before, const Site& site) {
    if (!site.has_rules_at(policy::JobEvent::modify, update.parts)) return;
    policy::RuleOutcome outcome = run_site_rules_at_change(*site.policy, after, before, update);
    const LoggedJob job{update.after, after.view(), &update};
    if (outcome.has_failed && refuse_without_partition(decision, after, job, site.settings())) return;
    take_outcome(decision, outcome, job, site);
}

/// A change never concerns a whole array. The array text is slurmctld's own here and may be no index list.
void count_one_task(ResolvedRequest& resolved) {
    if (resolved.job.array_tasks == 0) resolved.job.array_tasks = 1;
}

/// Runs the rules over each part of an accepted change that slurmctld may keep while it refuses the rest. One
/// that they reject, or cannot read, rejects the change. `before` and `options` as for the whole.
[[gnu::noinline]] void run_rules_at_parts(Decision& decision, const model::JobUpdate& update,
                                          const ResolvedRequest* before, const ResolveOptions& options,
                                          const Site& site) {
    for (const model::StoredPart& part : update.stored_parts) {
        if (!site.has_rules_at(policy::JobEvent::modify, part.parts)) continue;
        ResolvedRequest after = resolve(part.after, site.context, options);
        const LoggedJob job{update.after, after.view(), &update};
        if (part.after.unread) {
            Decision unread = answer_unread(after, job, site);
            if (unread.reject == RejectCode::none) continue;
            decision = std::move(unread);
            return;
        }
        count_one_task(after);
        policy::RuleOutcome outcome = run_site_rules_at_part(*site.policy, update, part, after, before);
        if (!outcome.rejected) continue;
        outcome.warnings = std::move(decision.message); // of the whole; those of the part are not told
        return take_outcome(decision, outcome, job, site);
    }
}

/// Adds a line in front of the lines about limits, if there are any: whether the site's script or rules set
/// the fields in question.
void blame(Decision& decision, std::size_t lines_before, const std::optional<RulesRun>& rules,
           const Site& site) {
    using Writers = std::span<const policy::FieldWriter>;
    if (decision.message.size() == lines_before) return;
    const Writers of_script = site.known.script_writes ? Writers(*site.known.script_writes) : Writers();
    const Writers of_rules = decision.changed ? Writers(rules->writers) : Writers();
    if (auto line = blame_site(of_script, of_rules))
        decision.message.insert(decision.message.begin() + static_cast<std::ptrdiff_t>(lines_before),
                                *std::move(line));
}

/// Whether slurmctld drops the gate's message and refuses with its own: for limits and unknown partitions of
/// a job that is only tested (--test-only). The gate then rejects the job itself, with the same code.
bool loses_words(RejectCode code, const JobRequest& request) {
    return (code == RejectCode::accounting_policy || code == RejectCode::invalid_partition) &&
           is_test_only(request.submit_line);
}

void log_unchecked(Decision& decision, const LoggedJob& job, const std::string& why) {
    log_limits(decision, job, "unchecked", "", std::span(&why, 1));
}

void log_problem(Decision& decision, const ResolvedRequest& resolved, const LoggedJob& job) {
    if (!resolved.has_no_accounts()) // which would be logged for every job
        log_unchecked(decision, job, resolved.known.error().message);
}

/// Whether a job is too much work to be checked. If so, makes that the answer.
bool is_too_much(Decision& decision, const ResolvedRequest& resolved, const LoggedJob& job, const Site& site,
                 bool enforces) {
    const auto found = find_too_large(resolved);
    if (found) answer_too_large(decision, *found, job, site, enforces);
    return found.has_value();
}

/// Whether limits and partitions can be judged. If not, logs why, or makes the answer.
bool can_judge(Decision& decision, const ResolvedRequest& job, const Site& site) {
    const LoggedJob logged{job.request, job.view()};
    if (!job.known) log_problem(decision, job, logged);
    if (!site.judges_limits()) {
        if (site.settings().limits == Level::enforce)
            log_unchecked(decision, logged, "the partitions are not known");
        return false;
    }
    return !is_too_much(decision, job, logged, site, site.enforces_limits());
}

/// Whether slurmctld may refuse the job for its fair share, which is not judged.
bool may_miss_usage_threshold(const ResolvedRequest& job) {
    return job_qos_flags(job.view()).enforce_usage_threshold &&
           job.context.cluster.enforce_part_limits != model::EnforcePartLimits::no;
}

/// Predicts what slurmctld does with a job, and answers with that and with the advice.
[[gnu::noinline]] void answer_with_forecast(Decision& decision, const ResolvedRequest& job, const Site& site,
                                            const RulesRun* rules, Advice found) {
    std::vector<std::string> advice = std::move(found.lines);
    const std::size_t lines_before = decision.message.size();
    const bool has_advice = !advice.empty();
    // If something else is wrong, too, no other suggestion helps than a partition where it is not.
    const bool may_suggest = advice.size() <= (are_all_drained(job.view()) ? 1u : 0u);
    append(decision.message, std::move(advice));

    const bool enforces = site.enforces_limits();
    DetailedForecast forecast;
    std::vector<std::string> lines;
    if (!job.view().is_within_limits) {
        forecast = predict_for_answer(enforces, decision.forecast,
                                      [&job](Strictness strictness) { return predict(job, strictness); });
        if (site.extent == AnswerExtent::whole) {
            lines = forecast_lines(forecast, job);
            if (!forecast.takes_the_job()) append(lines, origin_lines(forecast, job));
            if (may_suggest) append(lines, suggestion_lines(forecast, job, rules, site.settings()));
        }
    }
    if (!may_suggest && site.extent == AnswerExtent::whole)
        append(lines, partition_lines(found.handling, !site.known.may_have_new_reservations, forecast, job,
                                      rules, site.settings()));
    const bool never_starts = has_advice && found.handling == Handling::accepts;
    const bool is_late = job.request.minutes_to_deadline == 0u; // refused, or accepted and ended at once
    if ((never_starts || is_late) && enforces)
        decision.reject =
            job.request.minutes_to_deadline ? RejectCode::invalid_time_limit : RejectCode::accounting_policy;
    const auto finds_no_nodes = [&job] {
        const JobSize size = size_at_attempt(job.counter, job.job, job.view());
        return !find_too_small_partitions(job, size).empty();
    };
    const bool has_words = !lines.empty() || decision.message.size() > lines_before;
    if (forecast.is_refused() || (has_advice && !never_starts) || decision.reject != RejectCode::none ||
        (forecast.never_starts() && finds_no_nodes()) ||
        (has_words && (may_miss_usage_threshold(job) || may_lack_group(job)))) {
        word_for_refused(lines);
        word_for_refused(std::span(decision.message).subspan(lines_before));
    }
    const Rejects rejects{.refused = enforces || loses_words(forecast.summary.code, job.request),
                          .never_starting = enforces};
    answer(decision, forecast, {job.request, job.view()}, std::move(lines), rejects, site.settings(),
           lines_before);
    if (has_advice) append_contact(decision.message, site.settings());
}

/// Judges what slurmctld will judge. In level `explain` the gate adds lines to slurmctld's own answer. In
/// level `enforce` it also rejects jobs itself, including those that can never start.
void judge(Decision& decision, const ResolvedRequest& job, const Site& site, const RulesRun* rules) {
    Advice advice;
    if (site.extent == AnswerExtent::whole) advice = find_advice(job, !site.known.may_have_new_reservations);
    const bool is_within_limits = job.view().is_within_limits;
    if (is_within_limits) decision.forecast.time_limit = job.job.time_limit;
    if (is_within_limits && advice.lines.empty()) return; // the usual case
    answer_with_forecast(decision, job, site, rules, std::move(advice));
}

/// Judges an accepted part of a heterogeneous job together with the parts before it.
[[gnu::cold]] void judge_with_other_parts(Decision& decision, const ResolvedRequest& part, HetParts& parts,
                                          const Site& site) {
    if (!part.known || decision.reject != RejectCode::none || decision.forecast.code != RejectCode::none ||
        !part.view().enforce.limits)
        return;
    auto [lines, lasting] = parts.add(part);
    for (const std::string& line : lasting)
        lines.push_back("this job can never start as it is: " + line);
    if (const std::string_view reason = parts.refusal(); !reason.empty()) {
        decision.forecast.code = RejectCode::accounting_policy;
        decision.forecast.reason = reason;
        decision.forecast.pending_reason = {};
        decision.forecast.never_starts = decision.forecast.may_start = false;
        if (!site.enforces_limits() && site.context.release.follows(limits::rules::tries_parts_at_submission))
            lines.emplace_back(
                "slurmctld refuses this job, but keeps this part as a job of its own: cancel that");
    } else if (!parts.lasting().empty()) {
        if (decision.forecast.pending_reason.empty()) decision.forecast.pending_reason = parts.lasting();
        decision.forecast.never_starts = true;
    }
    if (lines.empty()) return;
    const bool enforces = site.enforces_limits();
    if (enforces) decision.reject = RejectCode::accounting_policy;
    log_limits(decision, {part.request, part.view()}, enforces ? "refused" : "warned", "", lines);
    append(decision.message, std::move(lines));
    append_contact(decision.message, site.settings());
}

/// Judges a job by the partitions that `site` has, with the parts before it if it is one of a heterogeneous
/// job.
void judge_with_parts(Decision& decision, const ResolvedRequest& job, const Site& site,
                      const std::optional<RulesRun>& rules, HetParts* parts) {
    const std::size_t lines_before = decision.message.size();
    if (can_judge(decision, job, site)) {
        judge(decision, job, site, rules ? &*rules : nullptr);
        if (parts) judge_with_other_parts(decision, job, *parts, site);
        if (parts && decision.forecast.code != RejectCode::none) parts->note_refused();
        if (parts && parts->is_refused()) word_for_refused(std::span(decision.message).subspan(lines_before));
    }
    blame(decision, lines_before, rules, site);
}

/// `trial` was made with partitions that may be outdated. If it rejects the job, the job gets `try_again`.
/// Otherwise only its log lines about unknown limits are kept.
void take_trial(Decision& decision, Decision trial, const LoggedJob& job, bool is_known) {
    if (trial.reject != RejectCode::none)
        ask_to_submit_again(decision, job, changed_partition);
    else if (!is_known)
        std::ranges::move(trial.log, std::back_inserter(decision.log));
}

/// Judges a job by partitions that may have changed.
[[gnu::cold]] void judge_by_old_partitions(Decision& decision, const ResolvedRequest& job, const Site& site,
                                           HetParts* parts) {
    Decision trial;
    judge_with_parts(trial, job, site.as_it_was(), std::nullopt, parts);
    take_trial(decision, std::move(trial), {job.request, job.view()}, job.known.has_value());
}

/// Judges a job after the rules.
void judge_after_rules(Decision& decision, const ResolvedRequest& job, const Site& site,
                       const std::optional<RulesRun>& rules, HetParts* parts) {
    if (asks_beyond_tasks(job.request) && refuse_hidden_cpus(decision, job, {job.request, job.view()}, site))
        [[unlikely]]
        return;
    if (site.enforces_later()) return judge_by_old_partitions(decision, job, site, parts);
    judge_with_parts(decision, job, site, rules, parts);
}

/// Judges the job as the rules changed it. Not inlined: most jobs need no space on the stack for it.
[[gnu::noinline]] void judge_changed(Decision& decision, const Site& site, const ResolveOptions& options,
                                     const std::optional<RulesRun>& rules, HetParts* parts) {
    const ResolvedRequest changed = resolve(*decision.changed, site.context, options);
    judge_after_rules(decision, changed, site, rules, parts);
}

void resolve_before(std::optional<ResolvedRequest>& before, const model::JobUpdate& update,
                    const Site& site) {
    const ResolveOptions options{
        .requester = update.after.submit_uid, .keeps_qos = !update.names_qos, .names_partitions = false};
    before.emplace(WithResultOf([&] { return resolve(update.before, site.context, options); }));
    count_one_task(*before);
}

/// Sets the time limit that slurmctld gives the job at the end of the change, for rules and limits.
[[gnu::cold]] void set_time_after(model::JobUpdate& update, const Site& site, const ResolveOptions& options) {
    const ResolvedRequest after = resolve(update.after, site.context, options);
    std::optional<ResolvedRequest> before;
    resolve_before(before, update, site);
    if (after.known && before->known) update.after.time_limit = time_after(update, *before, after);
}

/// Judges what slurmctld will judge of a change.
void judge_change(Decision& decision, const model::JobUpdate& update, ResolvedRequest& before,
                  ResolvedRequest& after, const Site& site) {
    if (!before.known || !after.known) {
        const ResolvedRequest& unknown = after.known ? before : after;
        log_problem(decision, unknown, {update.after, unknown.view(), &update});
        return;
    }
    // A request that was too large before may be changed into a smaller one.
    if (is_too_much(decision, after, {update.after, after.view(), &update}, site, site.enforces_limits()) ||
        is_too_much(decision, before, {update.before, before.view(), &update}, site, /*enforces=*/false))
        return;
    judge_update(decision, update, before, after, site.settings());
}

} // namespace

Decision Gate::decide(const JobRequest& request, KnownCluster known, const policy::Policy* policy,
                      HetParts* parts) const {
    const Site site(known, policy, provider_, release_, extent_);
    // Limits that leave room for one part may not leave room for all of them.
    const ResolveOptions options{.extent = parts ? ViewExtent::whole : ViewExtent::short_within_limits};
    std::optional<model::Qos> own_qos; // for rules that read it: copied while the records are open anyway
    ResolveOptions with_own_qos = options;
    if (policy != nullptr && policy->reads_own_qos()) with_own_qos.own_qos = &own_qos;
    const ResolvedRequest submitted = resolve(request, site.context, with_own_qos);
    Decision decision; // the only thing returned, so that it is made in its place
    const bool must_wait = site.must_wait(request.submit_uid);
    if (must_wait || request.unread) {
        answer_without_rules(decision, submitted, {request, submitted.view()}, site, must_wait);
        return decision;
    }
    if (const std::string_view change = find_fatal(request); !change.empty()) [[unlikely]] {
        refuse_fatal(decision, change, {request, submitted.view()}, site.settings());
        return decision;
    }
    if (request.reservation && refuse_unknown_partition(decision, {request, submitted.view()}, site))
        [[unlikely]]
        return decision;
    const std::optional<RulesRun> rules = run_rules(decision, submitted, site, own_qos);
    if (decision.reject != RejectCode::none) return decision;
    if (decision.changed)
        judge_changed(decision, site, options, rules, parts);
    else
        judge_after_rules(decision, submitted, site, rules, parts);
    const bool is_refused = decision.reject != RejectCode::none || decision.forecast.code != RejectCode::none;
    if (is_refused && rules) policy::drop_notes(decision.message, rules->notes);
    if (decision.reject != RejectCode::none) decision.changed.reset();
    return decision;
}

Decision Gate::decide_update(model::JobUpdate update, KnownCluster known,
                             const policy::Policy* policy) const {
    policy::BudgetClock clock; // of all that rules judge of the change
    if (!update.stored_parts.empty()) {
        if (known.script_clock != nullptr) clock = *known.script_clock;
        clock.start_at_once();
        known.script_clock = &clock;
    }
    const Site site(known, policy, provider_, release_);
    const bool changes_partitions = update.before.partition != update.after.partition;
    const ResolveOptions options{.requester = update.after.submit_uid,
                                 .keeps_qos = !update.names_qos,
                                 .names_partitions = changes_partitions};
    Decision decision;
    const bool runs_rules = site.has_rules_at(policy::JobEvent::modify, update.parts);
    const bool touches_limits = update.parts.has(model::UpdatePart::limits);
    const bool must_wait = touches_limits && site.must_wait(update.after.submit_uid);
    const bool judges = touches_limits && (site.judges_limits() || site.enforces_later());
    if (!runs_rules && !judges && !must_wait && !(touches_limits && update.after.unread)) return decision;
    if (!must_wait && !update.after.unread && may_change_time(update, release_))
        set_time_after(update, site, options);
    ResolvedRequest after = resolve(update.after, site.context, options);
    const LoggedJob logged{update.after, after.view(), &update};
    if (must_wait || update.after.unread) {
        answer_without_rules(decision, after, logged, site, must_wait);
        return decision;
    }
    if (const std::string_view change = find_fatal(update.after); !change.empty()) {
        refuse_fatal(decision, change, logged, site.settings());
        return decision;
    }
    if (update.after.reservation && refuse_unknown_partition(decision, logged, site)) return decision;
    if (refuse_hidden_cpus(decision, after, logged, site)) return decision;
    count_one_task(after);
    std::optional<ResolvedRequest> resolved_before;
    if (runs_rules && policy->reads_job_before()) resolve_before(resolved_before, update, site);
    const ResolvedRequest* const before = resolved_before ? &*resolved_before : nullptr;
    run_rules_at_change(decision, update, after, before, site);
    if (decision.reject == RejectCode::none && runs_rules)
        run_rules_at_parts(decision, update, before, options, site);
    if (decision.reject != RejectCode::none || !judges) return decision;

    if (!resolved_before) resolve_before(resolved_before, update, site);
    if (!site.enforces_later()) {
        judge_change(decision, update, *resolved_before, after, site);
        return decision;
    }
    Decision trial;
    judge_change(trial, update, *resolved_before, after, site.as_it_was());
    take_trial(decision, std::move(trial), logged,
               resolved_before->known.has_value() && after.known.has_value());
    return decision;
}

} // namespace qg::gate
