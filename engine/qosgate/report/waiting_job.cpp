// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/report/waiting_job.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/predict/het_parts.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/limits/explain.hpp"
#include "qosgate/limits/other_reasons.hpp"
#include "qosgate/limits/schedule.hpp"
#include "qosgate/model/limit_facts.hpp"
#include "qosgate/report/pending_cause.hpp"
#include "qosgate/report/reason_details.hpp"

#include <algorithm>
#include <iterator>

namespace qg::report {
namespace {

using limits::Violation;
using model::QueuedJob;

/// The Reasons of a job, each once: Slurm's own, and what squeue shows with it.
std::vector<std::string> reasons_of(const QueuedJob& job) {
    std::vector<std::string> reasons;
    for (const std::string& word : limits::reasons_in(job.reason_text)) {
        const bool is_known =
            !limits::find_reason(word).empty() || limits::find_other_reason(word) != nullptr;
        if (is_known && std::ranges::find(reasons, word) == reasons.end()) reasons.push_back(word);
    }
    // Any rule of a partition has this Reason; where squeue shows which one it is, that one is told.
    const bool is_listed = job.reason == "PartitionConfig" && !reasons.empty();
    if (!is_listed && std::ranges::find(reasons, job.reason) == reasons.end())
        reasons.insert(reasons.begin(), job.reason);
    return reasons;
}

/// A pending job in one of its partitions, as slurmctld counts it.
struct Attempt {
    model::JobRequest request;
    model::AccountView view;
    model::ResolvedJob job;
    std::vector<Violation> blocking;
};

/// What limits block a job of that size now; in all stages, for one may hide the next. For a job that the
/// engine counts otherwise than slurmctld; else they are those of gate::find_blocking_limits().
std::vector<Violation> find_blocking(const Attempt& attempt, const QueuedJob& job, limits::Release release) {
    const auto judge = [&](auto evaluate) {
        return evaluate(attempt.view, attempt.job, attempt.job.tres, job.time_limit,
                        /*time_set_by_limit=*/false, release, /*partition=*/0);
    };
    std::vector<Violation> found = judge(limits::evaluate_attempt).pre_select;
    const limits::ScheduleVerdict later = judge(limits::evaluate_allocation);
    const auto add = [&found](const Violation& violation) {
        if (std::ranges::none_of(found, [&](const Violation& v) { return v.same_limit(violation); }))
            found.push_back(violation);
    };
    if (later.breaks_node_limit()) add(*later.node_limit);
    std::ranges::for_each(later.post_select, add);
    return found;
}

constexpr std::string_view any_partition_rule = "PartitionConfig";

/// The first limit with this Reason that the engine expects to block the job.
std::optional<Violation> find_expected(const gate::ResolvedRequest& asked, std::string_view reason) {
    for (std::size_t i = 0; i < asked.view().partitions.size(); ++i) {
        const auto cause = find_pending_cause(asked, i);
        if (!cause) continue;
        const auto found = std::ranges::find(cause->violations, reason, &Violation::reason);
        if (found != cause->violations.end()) return *found;
    }
    return std::nullopt;
}

class Explainer {
  public:
    Explainer(const QueuedJob& job, const QueueContext& context) : job_(job), context_(context) {
        text::for_each_part(job.partition, ',', [this](std::string_view name) { attempt(name); });
        hides_qos_ = hides_partition_qos();
        hides_accounts_ = hides_account_limits();
        if (job_.het_id != 0 && !hides_qos_ && !hides_accounts_) add_parts_together();
    }

    WaitingJob explain() const {
        WaitingJob waiting;
        for (const std::string& reason : reasons_of(job_)) {
            waiting.reasons.push_back(explain(reason));
            name_job(waiting.reasons.back().waiting);
            name_job(waiting.reasons.back().change);
        }
        leave_out_repeated(waiting.reasons);
        waiting.hides_limits = hides_qos_ || hides_accounts_;
        const std::vector<std::string> rules = find_rules(any_partition_rule);
        const bool is_for_limits = is_blocked_for_good();
        if (is_for_limits || (!rules.empty() && may_never_start()))
            for (ExplainedReason& each : waiting.reasons)
                if (promises_start(each))
                    say_blocked_for_good(each, !is_for_limits     ? "its partitions"
                                               : each.is_of_limit ? "the other limits"
                                                                  : "its limits");
        const bool has_cause =
            !rules.empty() || std::ranges::any_of(waiting.reasons, &ExplainedReason::is_of_limit);
        for (const std::string& rule : rules)
            add_other(rule, waiting);
        for (const Attempt& each : attempts_)
            for (const Violation& violation : each.blocking)
                if (blocks_later(violation)) add_other(describe(violation, each), waiting);
        for (const std::string& line : together_)
            add_other(line, waiting);
        if (has_cause && context_.seeks_changes && may_change() && !waiting.hides_limits)
            waiting.changes = find_helpful_changes(job_, context_, blocking());
        return waiting;
    }

    /// Whether a limit with this Reason blocks the job now.
    bool finds(std::string_view reason) const {
        return std::ranges::any_of(attempts_, [&](const Attempt& each) {
            return std::ranges::find(each.blocking, reason, &Violation::reason) != each.blocking.end();
        });
    }

    JobStanding standing() const {
        JobStanding standing{.is_known = !attempts_.empty()};
        standing.may_use_qos =
            std::ranges::none_of(attempts_, [](const Attempt& each) { return is_qos_refused(each); });
        standing.is_blocked_for_good = is_blocked_for_good();
        standing.is_blocked = std::ranges::none_of(attempts_, [this](const Attempt& each) {
            return std::ranges::none_of(each.blocking,
                                        [this](const Violation& v) { return blocks_later(v); });
        });
        for (const Attempt& each : attempts_)
            for (const Violation& violation : each.blocking) {
                std::string line = describe(violation, each);
                if (blocks_later(violation) &&
                    std::ranges::find(standing.texts, line) == standing.texts.end())
                    standing.texts.push_back(std::move(line));
            }
        return standing;
    }

  private:
    std::string describe(const Violation& violation, const Attempt& attempt) const {
        return limits::describe(violation, attempt.view, /*names_owner=*/true,
                                limits::reader_of_job(context_.reader, job_.user_id));
    }

    static bool is_qos_refused(const Attempt& attempt) {
        switch (attempt.view.job_qos.problem) {
        case model::QosProblem::unknown:
        case model::QosProblem::not_permitted:
        case model::QosProblem::kept_not_permitted:
        case model::QosProblem::default_not_permitted:
        case model::QosProblem::relative_of_partition: return true;
        case model::QosProblem::none:
        case model::QosProblem::requires_reservation:
        case model::QosProblem::list_not_allowed: break;
        }
        return false;
    }

    void attempt(std::string_view partition) {
        Attempt made;
        made.request = job_.request;
        made.request.partition = partition;
        made.request.submit_uid = context_.reader;
        auto resolved = gate::resolve(made.request, context_.cluster(), {.names_partitions = false});
        if (!resolved.known) return;
        // The same list as for a new job, if the engine knows all that slurmctld counts.
        const bool is_alike = !made.request.unread && job_.het_id == 0 && is_counted_alike(resolved, job_, 0);
        if (is_alike) made.blocking = find_blocking_limits(resolved, 0);
        made.view = *std::move(resolved.known);
        made.job.tres.resize(made.view.tres->size());
        for (std::size_t at = 0; at < made.job.tres.size(); ++at)
            made.job.tres[at] = amount_in(job_.tres, made.view.tres->name(at));
        made.job.time_limit = job_.time_limit;
        made.job.time_min = made.request.time_min;
        made.job.hidden_tres = resolved.job.hidden_tres;
        made.job.is_time_hidden = resolved.job.is_time_hidden;
        if (!is_alike) made.blocking = find_blocking(made, job_, context_.release);
        attempts_.push_back(std::move(made));
    }

    ExplainedReason explain(const std::string& reason) const {
        ExplainedReason explained;
        explained.reason = reason;
        const auto entries = limits::find_reason(reason);
        if (entries.empty()) {
            const limits::OtherReason* other = limits::find_other_reason(reason);
            if (other == nullptr) return explained;
            explained.meaning = other->meaning;
            explained.waiting = other->waiting;
            explained.change = other->change;
            if (is_of_partition(reason)) explained.rules = find_rules(reason);
            explained.details = details_of(reason, job_, context_.queue, context_.obstacles,
                                           *context_.world.cluster, context_.now);
            if (reason == "Resources" && waits_for_unavailable_nodes(job_)) {
                explained.meaning = "Not enough nodes are free for the job.";
                explained.waiting.clear(); // the other Reason tells what it waits for
                explained.change.clear();
            }
            return explained;
        }
        const limits::LimitText words = limits::text_of(entries.front().limit);
        explained.meaning = words.meaning;
        explained.waiting = words.waiting;
        explained.change = words.change;
        explained.is_of_limit = true;
        const bool is_of_qos = entries.front().owner == limits::OwnerKind::qos;
        explained.is_hidden = is_of_qos ? hides_qos_ : hides_accounts_;
        if (!is_of_qos || !hides_qos_) explained.limit = find_limit(reason, explained.is_hidden);
        explained.is_hidden = explained.is_hidden && !explained.limit;
        if (explained.limit && explained.limit->is_permanent) say_permanent(explained);
        if (explained.limit && !explained.limit->hides_numbers && !explained.limit->asked) {
            explained.waiting.clear(); // there is room: other jobs need not end
            explained.change.clear();
        }
        if (explained.limit && explained.limit->asked && explained.limit->tres == "node" &&
            model::facts_of(explained.limit->limit).counts_others() && !explained.limit->is_permanent)
            explained.waiting += " Or as soon as a node that counts already has room for it.";
        if (explained.limit) say_counted_wrong(explained);
        return explained;
    }

    /// Several Reasons may be about the same reservations or nodes: the first of them tells each.
    static void leave_out_repeated(std::vector<ExplainedReason>& reasons) {
        std::set<std::string> shown;
        for (ExplainedReason& each : reasons)
            std::erase_if(each.details, [&](const std::string& line) { return !shown.insert(line).second; });
    }

    /// Puts the job's number in the place of "JOBID": the words are commands for any job.
    void name_job(std::string& words) const {
        constexpr std::string_view any_job = "JOBID";
        for (auto at = words.find(any_job); at != words.npos; at = words.find(any_job))
            words.replace(at, any_job.size(), std::to_string(job_.id));
    }

    /// The job with all of its partitions. The request must outlive the answer.
    gate::ResolvedRequest resolve(model::JobRequest& request) const {
        request = job_.request;
        request.submit_uid = context_.reader;
        return gate::resolve(request, context_.cluster(), {.names_partitions = false});
    }

    /// The rules of partitions behind a Reason.
    std::vector<std::string> find_rules(std::string_view reason) const {
        std::vector<std::string> lines;
        if (job_.request.unread) return lines;
        model::JobRequest request;
        const auto asked = resolve(request);
        for (const gate::PartitionProblem& rule : find_broken_rules(asked))
            if (stands_for(reason, rule) && std::ranges::find(lines, rule.text) == lines.end())
                lines.push_back(rule.text);
        return lines;
    }

    /// Whether limits and rules together never let the job start as it is, in none of its partitions.
    bool may_never_start() const {
        model::JobRequest request;
        const auto asked = resolve(request);
        const std::size_t count = asked.view().partitions.size();
        for (std::size_t i = 0; i < count; ++i)
            if (const auto cause = find_pending_cause(asked, i); !cause || !cause->is_permanent) return false;
        return count > 0;
    }

    /// No job that ends gives back what no job has.
    static void say_counted_wrong(ExplainedReason& explained) {
        const HeldLimit& limit = *explained.limit;
        const bool would_fit = limit.asked && limit.holders.most + *limit.asked <= limit.value;
        if (limit.unaccounted.value_or(0) == 0 || !would_fit) return;
        explained.waiting = "Waiting does not help before slurmctld counts anew.";
        explained.change = "Ask your administrator for that.";
    }

    /// Other jobs that end do not help.
    static void say_permanent(ExplainedReason& explained) {
        explained.waiting = "Waiting does not help as long as the limit and the job stay as they are.";
    }

    /// Finds limits that never let the parts of a heterogeneous job run together, as for a new job. Nothing
    /// is known if slurmctld counts a part otherwise than the engine.
    void add_parts_together() {
        std::vector<const QueuedJob*> parts;
        for (const QueuedJob& each : context_.queue)
            if (each.het_id == job_.het_id) parts.push_back(&each);
        std::ranges::sort(parts, {}, &QueuedJob::id);
        gate::HetParts together;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            model::JobRequest request = parts[i]->request;
            request.submit_uid = context_.reader;
            const auto asked = gate::resolve(request, context_.cluster(), {.names_partitions = false});
            if (request.unread || !asked.known ||
                !is_counted_alike(asked, *parts[i], 0, /*compares_nodes=*/false))
                return;
            together.begin_part(static_cast<std::uint32_t>(i));
            std::ranges::move(together.add(asked).lasting, std::back_inserter(together_));
        }
    }

    /// Whether in each partition some limit never lets the job start as it is.
    bool is_blocked_for_good() const {
        if (!together_.empty()) return true;
        const auto is_for_good = [this](const Attempt& each) {
            return std::ranges::any_of(each.blocking, [this](const Violation& violation) {
                return violation.is_permanent() && blocks_later(violation);
            });
        };
        return !attempts_.empty() && std::ranges::all_of(attempts_, is_for_good);
    }

    /// Whether the explanation says that the job starts without a change.
    static bool promises_start(const ExplainedReason& explained) {
        if (explained.limit) return !explained.limit->is_permanent;
        const limits::OtherReason* other = limits::find_other_reason(explained.reason);
        return other != nullptr && other->promises_start();
    }

    /// Room for this limit alone, or the end of this Reason, does not help.
    static void say_blocked_for_good(ExplainedReason& explained, std::string_view by) {
        explained.waiting =
            text::format("Waiting does not help as long as the job and {} stay as they are.", by);
        if (explained.limit)
            explained.limit->room_at.reset();
        else if (!is_of_partition(explained.reason))
            explained.change.clear(); // it would only end this Reason
    }

    /// The limit of a Reason: one that blocks the job now. If nothing is hidden, else one that has room.
    std::optional<HeldLimit> find_limit(const std::string& reason, bool is_some_hidden) const {
        for (const Attempt& each : attempts_)
            for (const Violation& violation : each.blocking)
                if (violation.reason == reason)
                    return describe_held(violation, each.view, job_.user_id, context_);
        if (is_some_hidden) return std::nullopt;
        if (auto counted = find_counted_limit(reason)) return counted;
        for (const Attempt& each : attempts_)
            for (const limits::BindingLimit& limit :
                 limits::find_binding_limits(each.view, 0, context_.release))
                if (limit.reason == reason) return describe_held(limit, each.view, job_.user_id, context_);
        return std::nullopt;
    }

    /// The limit of a Reason by what the job will get: whole nodes, for example, of which squeue shows only
    /// the part that the job asks for.
    std::optional<HeldLimit> find_counted_limit(const std::string& reason) const {
        if (job_.request.unread || job_.het_id != 0) return std::nullopt;
        Attempt whole;
        auto asked = resolve(whole.request);
        if (!asked.known) return std::nullopt;
        const auto found = find_expected(asked, reason);
        if (!found) return std::nullopt;
        whole.view = *std::move(asked.known);
        return describe_held(*found, whole.view, job_.user_id, context_);
    }

    /// Whether a limit certainly blocks the job when it may start. The present usage says nothing about a job
    /// that may not start yet.
    bool blocks_later(const Violation& violation) const {
        return !hides_qos_ && (violation.is_permanent() || !job_.request.starts_later());
    }

    /// Adds a line about a limit, unless it was told.
    static void add_other(std::string line, WaitingJob& waiting) {
        const auto shows_it = [&](const ExplainedReason& each) {
            return (each.limit && each.limit->text == line) ||
                   std::ranges::find(each.rules, line) != each.rules.end();
        };
        if (std::ranges::any_of(waiting.reasons, shows_it) ||
            std::ranges::find(waiting.also, line) != waiting.also.end())
            return;
        waiting.also.push_back(std::move(line));
    }

    /// Whether the reader may change the job.
    bool may_change() const {
        return context_.reader == job_.user_id || context_.world.accounting->is_operator(context_.reader);
    }

    /// Whether the QOS of one of the partitions is hidden: it may hide limits of the job's QOS.
    bool hides_partition_qos() const {
        return !context_.world.knows_partitions() || std::ranges::any_of(attempts_, [](const Attempt& each) {
            return std::ranges::any_of(each.view.partitions, &model::PartitionChoice::is_hidden);
        });
    }

    bool hides_account_limits() const {
        const quota::LocalRecords& records = context_.world.accounting->records();
        return std::ranges::any_of(attempts_, [&](const Attempt& each) {
            const auto& chain = each.view.associations;
            return (records.private_data.usage && !chain.empty() &&
                    !text::iequals(chain.back().account, "root")) ||
                   std::ranges::any_of(chain, &model::Association::hides_limits);
        });
    }

    std::vector<Violation> blocking() const {
        std::vector<Violation> all;
        for (const Attempt& each : attempts_)
            all.insert(all.end(), each.blocking.begin(), each.blocking.end());
        return all;
    }

    const QueuedJob& job_;
    const QueueContext& context_;
    std::vector<Attempt> attempts_;
    std::vector<std::string> together_; ///< what the parts of a heterogeneous job exceed together for good
    bool hides_qos_ = false;
    bool hides_accounts_ = false;
};

/// Whether the job may have no time limit: slurmctld shows MaxTime of the partition then, and counts no end.
bool may_have_no_time(const QueuedJob& job, const QueueContext& context) {
    bool may_be = false;
    text::for_each_part(job.partition, ',', [&](std::string_view name) {
        const auto& partition = context.world.cluster->partitions.find(name);
        may_be =
            may_be || (partition &&
                       partition->default_time.value_or(TimeLimit::unlimited()) == TimeLimit::unlimited() &&
                       job.time_limit == partition->max_time);
    });
    return may_be && job.time_limit != TimeLimit::unlimited();
}

} // namespace

WaitingJob explain_waiting(const QueuedJob& job, const QueueContext& context) {
    const Explainer as_shown(job, context);
    const bool is_of_limit = !limits::find_reason(job.reason).empty();
    if (is_of_limit && !as_shown.finds(job.reason) && may_have_no_time(job, context)) {
        QueuedJob without_time = job;
        without_time.time_limit = TimeLimit::unlimited();
        without_time.request.time_limit = std::nullopt;
        const Explainer without_limit(without_time, context);
        if (without_limit.finds(job.reason)) return without_limit.explain();
    }
    return as_shown.explain();
}

JobStanding find_standing(const QueuedJob& job, const QueueContext& context) {
    return Explainer(job, context).standing();
}

} // namespace qg::report
