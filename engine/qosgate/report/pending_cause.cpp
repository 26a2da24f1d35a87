// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/report/pending_cause.hpp"

#include "qosgate/gate/partitions/closed_partitions.hpp"
#include "qosgate/limits/submit.hpp"
#include "qosgate/model/whole_nodes_by.hpp"
#include "qosgate/report/holders.hpp"

#include <algorithm>
#include <array>

namespace qg::report {
namespace {

constexpr std::string_view any_rule = "PartitionConfig";
constexpr std::array<std::string_view, 2> of_lists{"QOSNotAllowed", "AccountNotAllowed"};
constexpr std::array<std::string_view, 4> of_others{any_rule, "PartitionTimeLimit", "PartitionNodeLimit",
                                                    "PartitionDown"};

bool is_of_list(std::string_view reason) noexcept {
    return std::ranges::find(of_lists, reason) != of_lists.end();
}

/// The verdict at its submission, which is over: it has its time limit.
limits::SubmitVerdict accepted(const gate::ResolvedRequest& asked) {
    limits::SubmitVerdict verdict;
    verdict.time_limit = asked.request.time_limit;
    return verdict;
}

bool are_shown(const model::TresCounts& counts, const model::TresCatalogue& tres, const model::QueuedJob& job,
               bool compares_nodes) {
    for (std::size_t at = 0; at < tres.size(); ++at) {
        const bool is_compared = tres.kind(at) != model::TresKind::energy &&
                                 (compares_nodes || tres.kind(at) != model::TresKind::node);
        if (is_compared && !amounts_in(job.tres, tres.name(at)).contains(model::count_at(counts, at)))
            return false;
    }
    return true;
}

} // namespace

bool is_of_partition(std::string_view reason) noexcept {
    return is_of_list(reason) || std::ranges::find(of_others, reason) != of_others.end();
}

bool stands_for(std::string_view reason, const gate::PartitionProblem& rule) noexcept {
    return reason == any_rule || reason == rule.pending || (is_of_list(reason) && rule.pending == any_rule);
}

std::optional<gate::PendingCause> find_pending_cause(const gate::ResolvedRequest& asked,
                                                     std::size_t partition) {
    auto cause = gate::find_pending_cause(asked, accepted(asked), partition);
    if (auto closed = gate::find_closed(asked, partition)) {
        if (!cause) cause.emplace();
        cause->reason = closed->pending;
        cause->is_permanent = true;
        cause->rules.insert(cause->rules.begin(), *std::move(closed));
    }
    return cause;
}

std::vector<limits::Violation> find_blocking_limits(const gate::ResolvedRequest& asked,
                                                    std::size_t partition) {
    return gate::find_blocking_limits(asked, accepted(asked), partition);
}

std::vector<gate::PartitionProblem> find_broken_rules(const gate::ResolvedRequest& asked) {
    std::vector<gate::PartitionProblem> rules;
    for (std::size_t i = 0; i < asked.view().partitions.size(); ++i)
        if (const auto cause = find_pending_cause(asked, i))
            rules.insert(rules.end(), cause->rules.begin(), cause->rules.end());
    return rules;
}

bool is_counted_alike(const gate::ResolvedRequest& asked, const model::QueuedJob& job, std::size_t partition,
                      bool compares_nodes) {
    const model::AccountView& view = asked.view();
    if (partition >= view.partitions.size()) return false;
    const auto counts = asked.counter.at_attempt(view, partition, std::nullopt).value_or(asked.job.tres);
    if (are_shown(counts, *view.tres, job, compares_nodes)) return true;
    const model::Partition* in = view.partitions[partition].partition.get();
    // GPUs may come from several nodes, of which squeue shows the fewest.
    if (asked.request.cpus_per_tres)
        return are_shown(asked.job.tres, *view.tres, job, /*compares_nodes=*/false);
    return model::takes_whole_nodes(asked.request, in, asked.context.cluster) &&
           are_shown(asked.job.tres, *view.tres, job, compares_nodes);
}

} // namespace qg::report
