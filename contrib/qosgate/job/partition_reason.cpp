// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/partition_reason.hpp"

#include "qosgate/gate/partitions/closed_partitions.hpp"
#include "qosgate/limits/submit.hpp"

#include <algorithm>
#include <array>

namespace qg::cli {
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

} // namespace qg::cli
