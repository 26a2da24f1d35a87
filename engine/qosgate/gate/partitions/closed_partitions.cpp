// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partitions/closed_partitions.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/partitions/partition_rules.hpp"
#include "qosgate/quota/user_groups.hpp"

#include <algorithm>
#include <vector>

namespace qg::gate {
namespace {

using model::EnforcePartLimits;
using model::Partition;

constexpr std::size_t max_shown = 200;

/// Why one partition is closed, and slurmctld's error for that.
struct Closure {
    ClosedError error = ClosedError::none;
    std::string why = {};
};

/// root and SlurmUser use every partition.
bool is_exempt(std::uint32_t user_id, const ResolvedRequest& asked) {
    return user_id == 0 || user_id == asked.context.cluster.slurm_user_id;
}

std::string name_of_owner(const ResolvedRequest& asked) {
    const std::string& name = asked.view().user_name;
    return name.empty() ? text::format("user {}", asked.request.user_id) : text::printable(name, max_shown);
}

/// "partition bens is for members of ben (AllowGroups), and "
std::string is_for_members(const Partition& partition) {
    return text::format("partition {} is for members of {} (AllowGroups), and ", partition.name,
                        text::printable(text::join(partition.allow_groups, ", "), max_shown));
}

/// Why a partition is closed whatever groups the owner is in; empty: it is not. `sender` as below.
std::string describe_denied(const ResolvedRequest& asked, const Partition& partition, std::uint32_t sender) {
    if (partition.needs_reservation && !asked.request.reservation)
        return text::format("partition {} is for jobs in a reservation: add --reservation=NAME",
                            partition.name);
    if (partition.is_for_root && !is_exempt(sender, asked))
        return text::format("partition {} is for jobs that root submits", partition.name);
    return "";
}

/// What closes partitions beside RootOnly and ReqResv.
enum class Look : std::uint8_t { at_groups, past_groups };

/// Judges partitions one by one. Ownership: borrows.
class ClosedPartitions {
  public:
    /// `sender` is who submits the job. slurmctld compares the owner with RootOnly when it starts the job.
    ClosedPartitions(const ResolvedRequest& asked, std::uint32_t sender, Look look)
        : asked_(asked), sender_(sender), look_(look) {
        if (find_for_members() == nullptr) return;
        if (const quota::UserGroups* known = asked.context.known.groups)
            groups_ = known->groups_of(asked.request.user_id);
        else
            groups_ = Error{ErrorCode::unavailable, "no groups are known"};
    }

    /// In slurmctld's order. A partition whose groups are not known counts as open.
    [[nodiscard]] Closure find(const model::PartitionChoice& choice) const {
        if (choice.is_hidden) return {};
        const Partition& partition = *choice.partition;
        if (std::string why = describe_denied(asked_, partition, sender_); !why.empty())
            return {ClosedError::access_denied, std::move(why)};
        if (!counts_groups(partition) || !groups_ || is_member(partition)) return {};
        return {ClosedError::missing_group,
                text::format("{}{} is not one", is_for_members(partition), name_of_owner(asked_))};
    }

    [[nodiscard]] std::string describe_not_judged() const {
        if (groups_) return "";
        return text::format("{}it is not known whether {} is one: {}", is_for_members(*find_for_members()),
                            name_of_owner(asked_), groups_.error().message);
    }

  private:
    /// The owner counts, not the sender.
    [[nodiscard]] bool counts_groups(const Partition& partition) const {
        return look_ == Look::at_groups && !partition.allow_groups.empty() &&
               !is_exempt(asked_.request.user_id, asked_);
    }
    /// The first that the reader may see; null: there is none.
    [[nodiscard]] const Partition* find_for_members() const {
        const auto& all = asked_.view().partitions;
        const auto found = std::ranges::find_if(all, [this](const model::PartitionChoice& choice) {
            return !choice.is_hidden && counts_groups(*choice.partition);
        });
        return found == all.end() ? nullptr : found->partition.get();
    }
    [[nodiscard]] bool is_member(const Partition& partition) const {
        return std::ranges::any_of(partition.allow_groups, [this](const std::string& allowed) {
            return std::ranges::find(*groups_, allowed) != groups_->end();
        });
    }

    const ResolvedRequest& asked_;
    std::uint32_t sender_;
    Look look_;
    Result<std::vector<std::string>> groups_ = std::vector<std::string>(); ///< of the owner
};

/// What slurmctld does with a new job because of closed partitions.
struct Outcome {
    Closure first; ///< in slurmctld's order
    bool is_at_front = false;
    ClosedError error = ClosedError::none; ///< with which it refuses the job
};

Outcome find_outcome(const ResolvedRequest& asked, const ClosedPartitions& partitions) {
    const auto& choices = asked.view().partitions;
    const limits::Release release = asked.context.release;
    const EnforcePartLimits enforce = asked.context.cluster.enforce_part_limits;
    const bool stops_at_groups = release.follows(limits::rules::stops_at_closed_groups);
    const PartitionOrder order = order_at_submission(asked);
    Outcome outcome;
    bool is_any_open = false;
    for (std::size_t place = 0; place < order.size(); ++place) {
        Closure closure = partitions.find(choices[order[place]]);
        is_any_open = is_any_open || closure.error == ClosedError::none;
        if (closure.error == ClosedError::none) continue;
        const bool stops = closure.error == ClosedError::access_denied || stops_at_groups;
        if (outcome.first.why.empty()) outcome = {closure, place == 0};
        if (stops || enforce == EnforcePartLimits::all) {
            outcome.error = closure.error;
            break;
        }
    }
    const bool has_stopped = outcome.error != ClosedError::none;
    if (enforce == EnforcePartLimits::no) {
        if (choices.size() > 1) outcome.error = ClosedError::none;
    } else if (!is_any_open && !has_stopped) {
        outcome.error = outcome.first.error;
    } else if (enforce == EnforcePartLimits::any && is_any_open && has_stopped) {
        outcome.error = ClosedError::not_available;
    }
    return outcome;
}

/// Whether no partition starts the job when slurmctld tries it.
bool are_all_closed_to_owner(const ResolvedRequest& asked, Look look) {
    const ClosedPartitions to_owner(asked, asked.request.user_id, look);
    return std::ranges::all_of(asked.view().partitions, [&](const model::PartitionChoice& choice) {
        return to_owner.find(choice).error != ClosedError::none;
    });
}

} // namespace

ClosedAnswer judge_closed(const ResolvedRequest& asked) {
    const ClosedPartitions partitions(asked, asked.request.submit_uid, Look::at_groups);
    ClosedAnswer answer{.blocked = {}, .not_judged = partitions.describe_not_judged()};
    const auto [first, is_at_front, error] = find_outcome(asked, partitions);
    answer.error = error;
    const bool is_of_group = first.error == ClosedError::missing_group;
    const bool keeps_from_nodes = is_of_group && is_at_front && !asked.request.max_nodes &&
                                  asked.view().partitions.size() > 1 &&
                                  asked.context.release.follows(limits::rules::stops_at_closed_groups);
    if (first.why.empty()) return answer;
    if (error == ClosedError::missing_group)
        answer.blocked = first.why + " (User's group not permitted to use this partition)";
    else if (error != ClosedError::none || (is_of_group && are_all_closed_to_owner(asked, Look::at_groups)))
        answer.blocked = first.why;
    else if (keeps_from_nodes)
        answer.blocked = text::format("{}; {}", first.why, consequence_of_closed_first);
    return answer;
}

bool may_lack_group(const ResolvedRequest& asked) {
    const ClosedAnswer answer = judge_closed(asked);
    return answer.error != ClosedError::none || !answer.not_judged.empty();
}

std::string find_denied(const ResolvedRequest& asked) {
    const ClosedPartitions partitions(asked, asked.request.submit_uid, Look::past_groups);
    Outcome outcome = find_outcome(asked, partitions);
    return outcome.error == ClosedError::none ? "" : std::move(outcome.first.why);
}

std::string find_closed_to_owner(const ResolvedRequest& asked) {
    const auto& choices = asked.view().partitions;
    if (choices.empty() || !are_all_closed_to_owner(asked, Look::past_groups)) return "";
    return text::format("partition {} is for jobs of root, and this is one of {}",
                        choices.front().partition->name, name_of_owner(asked));
}

std::optional<PartitionProblem> find_closed(const ResolvedRequest& asked, std::size_t partition) {
    const ClosedPartitions to_owner(asked, asked.request.user_id, Look::at_groups);
    Closure closure = to_owner.find(asked.view().partitions[partition]);
    if (closure.error == ClosedError::none) return std::nullopt;
    return PartitionProblem{model::RejectCode::partition_limits, "PartitionConfig", std::move(closure.why)};
}

} // namespace qg::gate
