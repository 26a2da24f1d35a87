// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/saturate.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer/request_options.hpp"
#include "qosgate/gate/gate.hpp"
#include "qosgate/gate/nodes/whole_nodes.hpp"
#include "qosgate/gate/partitions/attempt.hpp"
#include "qosgate/gate/predict/alternatives.hpp"
#include "qosgate/gate/predict/forecast.hpp"
#include "qosgate/gate/predict/suggestion.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/model/job_field.hpp"
#include "qosgate/model/limit_facts.hpp"
#include "qosgate/model/whole_nodes_by.hpp"
#include "qosgate/report/pending_cause.hpp"
#include "qosgate/report/waiting_job.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

namespace qg::report {
namespace {

using limits::Violation;
using model::JobRequest;
using model::LimitMeasure;
using model::scontrol_name_of;

/// "NumTasks=4", as a shell takes it.
std::string assign(std::string_view name, std::string_view value) {
    return text::shell_word(text::format("{}={}", name, value));
}

/// "TimeLimit=01:00:00".
std::string assign_time(std::string_view name, std::uint64_t minutes) {
    return text::format("{}={}", name, limits::format_time(minutes));
}

/// A change, as scontrol names it.
struct RequestChange {
    JobRequest after;
    std::string words; ///< "QOS=plain"
    bool names_qos = false;
    bool names_time = false;
};

class ChangeFinder {
  public:
    ChangeFinder(const model::QueuedJob& job, const QueueContext& context)
        : job_(job), context_(context), before_(job.request), cluster_(context.cluster()) {
        before_.submit_uid = job.user_id; // whoever reads this, the owner can make the change
    }

    std::vector<std::string> find(std::span<const Violation> blocking) {
        std::vector<std::string> lines;
        if (!has_whole_name() || !can_judge()) return lines;
        others_ = gate::find_alternatives(resolve(before_), context_.settings);
        const auto add_first = [&](const std::vector<RequestChange>& changes) {
            const auto helps = [this](const RequestChange& change) { return surely_helps_with(change); };
            const auto found = std::ranges::find_if(changes, helps);
            if (found != changes.end())
                lines.push_back(text::format("scontrol update {} {}", job_word(), found->words));
        };
        add_first(shorter_times(blocking));
        add_first(smaller_sizes());
        add_first(other_qos());
        add_first(other_partitions());
        add_first(other_accounts());
        return lines;
    }

  private:
    /// Whether the engine knows all that decides about the job, and comes to the Reason that squeue shows.
    bool can_judge() const {
        if (job_.het_id != 0 || before_.unread || before_.starts_later() ||
            !context_.world.knows_partitions())
            return false;
        const auto asked = resolve(before_);
        const model::AccountView& view = asked.view();
        if (!asked.known || view.associations.empty() || view.partitions.empty()) return false;
        bool has_reason = job_.reason == "PartitionDown"; // it hides all other rules
        for (std::size_t i = 0; i < view.partitions.size(); ++i) {
            if (view.partitions[i].is_hidden || !is_counted_alike(asked, job_, i) || !knows_nodes(asked, i))
                return false;
            const auto cause = find_pending_cause(asked, i);
            if (!cause) return false;
            const auto is_it = [this](const Violation& v) { return v.reason == job_.reason; };
            const auto is_rule = [this](const auto& rule) { return stands_for(job_.reason, rule); };
            has_reason = has_reason || std::ranges::any_of(cause->violations, is_it) ||
                         std::ranges::any_of(cause->rules, is_rule);
        }
        return has_reason;
    }

    /// Whether it is known what the nodes have that the job gets, if it gets whole ones.
    static bool knows_nodes(const gate::ResolvedRequest& asked, std::size_t partition) {
        const model::Partition& in = *asked.view().partitions[partition].partition;
        const model::Cluster& cluster = asked.context.cluster;
        return !model::takes_whole_nodes(asked.request, &in, cluster) ||
               gate::knows_whole_nodes(asked.request, in, cluster);
    }

    gate::ResolvedRequest resolve(const JobRequest& request, bool names_partitions = false) const {
        return gate::resolve(request, cluster_,
                             {.requester = job_.user_id, .names_partitions = names_partitions});
    }

    /// The same whether or not the job has a time limit, if that is not known.
    bool surely_helps_with(const RequestChange& change) const {
        if (!helps_with(change)) return false;
        if (change.names_time || !may_have_no_time()) return true;
        RequestChange without_time = change;
        without_time.after.time_limit.reset();
        return helps_with(without_time);
    }

    /// Of a job without a time limit slurmctld shows MaxTime of the partition in which it was tried last.
    bool may_have_no_time() const {
        const auto asked = resolve(before_);
        return std::ranges::any_of(asked.view().partitions, [this](const model::PartitionChoice& choice) {
            return choice.partition->max_time == before_.time_limit;
        });
    }

    /// Whether slurmctld accepts the change, and the job can then start in one of its partitions.
    bool helps_with(const RequestChange& change) const {
        const gate::Gate gate(*context_.world.accounting, context_.release);
        const model::Decision decision = gate.decide_update({.job_id = job_.id,
                                                             .before = before_,
                                                             .after = change.after,
                                                             .names_qos = change.names_qos,
                                                             .names_time = change.names_time},
                                                            cluster_.known, nullptr);
        if (decision.reject != model::RejectCode::none || decision.forecast.code != model::RejectCode::none)
            return false;
        const auto asked = resolve(change.after, change.after.partition != before_.partition);
        const model::AccountView& view = asked.view();
        if (!asked.known || view.job_qos.problem != model::QosProblem::none || view.associations.empty())
            return false;
        if (change.names_qos && !others_.means_qos(view)) return false;
        for (std::size_t i = 0; i < view.partitions.size(); ++i)
            if (!view.partitions[i].is_hidden && knows_nodes(asked, i) && !find_pending_cause(asked, i))
                return true;
        return false;
    }

    /// Times that limits on time and the partitions would allow, the longest first.
    std::vector<RequestChange> shorter_times(std::span<const Violation> blocking) const {
        const std::uint64_t present = before_.time_limit.value_or(TimeLimit::unlimited()).minutes;
        std::uint64_t least = present, surely = present;
        for (const Violation& violation : blocking) {
            const model::LimitFacts& facts = model::facts_of(violation.limit);
            const std::uint64_t left =
                violation.limit_value - std::min(violation.limit_value, violation.used);
            if (facts.measure == LimitMeasure::wall)
                least = std::min(least, facts.counts_others() ? left : violation.limit_value);
            else if (facts.counts_tres_minutes() && violation.count > 0 && violation.asked > 0) {
                // UsageFactor scales the time that is counted, and the sum is rounded.
                const double left_of_each = static_cast<double>(left) / static_cast<double>(violation.count) *
                                            static_cast<double>(violation.asked_unscaled);
                const auto fitting = [&](std::uint64_t asked) {
                    return saturate(left_of_each / static_cast<double>(asked));
                };
                least = std::min(least, fitting(violation.asked));
                surely = std::min(surely, fitting(violation.asked + violation.count));
            }
        }
        std::set<std::uint64_t, std::greater<>> times{least, std::min(least, surely)};
        const auto asked = resolve(before_);
        for (const model::PartitionChoice& choice : asked.view().partitions)
            times.insert(std::min<std::uint64_t>(least, choice.partition->max_time.minutes));
        std::vector<RequestChange> changes;
        for (const std::uint64_t minutes : times)
            if (minutes > 0 && minutes < present) changes.push_back(with_time(minutes));
        return changes;
    }

    RequestChange with_time(std::uint64_t minutes) const {
        RequestChange change{.after = before_,
                             .words = assign_time(scontrol_name_of("time_limit"), minutes),
                             .names_time = true};
        change.after.time_limit = TimeLimit{static_cast<std::uint32_t>(minutes)};
        if (before_.time_min && before_.time_min->minutes > minutes) { // slurmctld would refuse it
            change.words += " " + assign_time(scontrol_name_of("time_min"), minutes);
            change.after.time_min = change.after.time_limit;
        }
        return change;
    }

    /// The nearest size that complies, if scontrol can say it: that which is suggested for a new job.
    std::vector<RequestChange> smaller_sizes() const {
        const auto asked = gate::resolve(before_, cluster_);
        const auto better =
            gate::find_suggestion(gate::predict(asked, limits::Strictness::as_configured), asked);
        if (!better) return {};
        RequestChange change{.after = before_, .words = {}};
        std::vector<std::string> words;
        const auto set = [&](auto field, std::string_view name, const auto& format) {
            const auto& value = (*better).*field;
            if (before_.*field == value || !value) return;
            change.after.*field = value;
            words.push_back(assign(name, format(*value)));
        };
        const auto number = [](std::uint32_t value) { return std::to_string(value); };
        const auto itself = [](const std::string& value) { return value; };
        set_nodes(change.after, *better, words);
        set(&JobRequest::tasks, scontrol_name_of("tasks"), number);
        set(&JobRequest::min_cpus, scontrol_name_of("cpus"), number);
        set(&JobRequest::memory,
            better->memory && better->memory->per_cpu ? scontrol_name_of("memory_per_cpu")
                                                      : scontrol_name_of("memory_per_node"),
            [](const model::Memory& value) { return std::to_string(value.mib); });
        set(&JobRequest::tres_per_job, scontrol_name_of("tres_per_job"), itself);
        set(&JobRequest::tres_per_node, scontrol_name_of("tres_per_node"), itself);
        set(&JobRequest::tres_per_task, scontrol_name_of("tres_per_task"), itself);
        if (words.empty()) return {}; // a shorter time is enough
        set(&JobRequest::time_limit, scontrol_name_of("time_limit"),
            [](TimeLimit value) { return limits::format_time(value.minutes); });
        change.names_time = change.after.time_limit != before_.time_limit;
        change.words = text::join(words, " ");
        const bool says_all = gate::keeps_changes(change.after, before_, *better);
        return says_all ? std::vector{std::move(change)} : std::vector<RequestChange>();
    }

    void set_nodes(JobRequest& after, const JobRequest& better, std::vector<std::string>& words) const {
        const bool is_same = better.min_nodes == before_.min_nodes && better.max_nodes == before_.max_nodes;
        const bool names_tasks = job_.name.find('[') != job_.name.npos; // scontrol sets nodes of a single job
        if (is_same || names_tasks || !better.min_nodes || !better.max_nodes) return;
        after.min_nodes = better.min_nodes;
        after.max_nodes = better.max_nodes;
        words.push_back(
            text::format("{}={}-{}", scontrol_name_of("nodes"), *better.min_nodes, *better.max_nodes));
    }

    std::vector<RequestChange> other_qos() const {
        std::vector<RequestChange> changes;
        for (const std::string& qos : others_.qos) {
            RequestChange change{
                .after = before_, .words = assign(scontrol_name_of("qos"), qos), .names_qos = true};
            change.after.qos = qos;
            keep_time(change);
            changes.push_back(std::move(change));
        }
        return changes;
    }

    /// In some releases a new QOS brings a time limit of its own.
    void keep_time(RequestChange& change) const {
        const bool is_replaced = context_.release.follows(limits::rules::qos_change_replaces_time) ||
                                 context_.release.follows(limits::rules::qos_change_replaces_time_again);
        if (!is_replaced || !before_.time_limit) return;
        change.words += " " + assign_time(scontrol_name_of("time_limit"), before_.time_limit->minutes);
        change.names_time = true;
    }

    std::vector<RequestChange> other_partitions() const {
        std::vector<RequestChange> changes;
        if (before_.reservation) return changes; // which nodes that has is not known
        for (const std::string& partition : others_.partitions) {
            if (needs_more_nodes(partition)) continue;
            RequestChange change{.after = before_, .words = assign(scontrol_name_of("partition"), partition)};
            change.after.partition = partition;
            changes.push_back(std::move(change));
        }
        return changes;
    }

    /// Only for new jobs does slurmctld raise the number of nodes to the MinNodes of a partition.
    bool needs_more_nodes(std::string_view name) const {
        const auto partition = context_.world.cluster->partitions.find(name);
        return partition != nullptr && partition->min_nodes > before_.min_nodes.value_or(1);
    }

    std::vector<RequestChange> other_accounts() const {
        std::vector<RequestChange> changes;
        for (const std::string& account : others_.accounts) {
            RequestChange change{.after = before_, .words = assign(scontrol_name_of("account"), account)};
            change.after.account = account;
            changes.push_back(std::move(change));
        }
        return changes;
    }

    /// "JobId=12", or with quotes for the pending tasks of an array.
    std::string job_word() const {
        const std::string name = job_.name.substr(0, job_.name.find('%'));
        return text::shell_word(text::format("JobId={}{}", name, name.size() < job_.name.size() ? "]" : ""));
    }

    /// slurmctld shortens long lists of tasks, and takes no shortened name.
    bool has_whole_name() const { return job_.name.find("...") == job_.name.npos; }

    const model::QueuedJob& job_;
    const QueueContext& context_;
    JobRequest before_;
    gate::ClusterContext cluster_;
    gate::Alternatives others_;
};

} // namespace

std::vector<std::string> find_helpful_changes(const model::QueuedJob& job, const QueueContext& context,
                                              std::span<const Violation> blocking) {
    return ChangeFinder(job, context).find(blocking);
}

} // namespace qg::report
