// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partitions/allowed_groups.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/partitions/partition_rules.hpp"
#include "qosgate/quota/user_groups.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace qg::gate {
namespace {

using model::EnforcePartLimits;
using model::Partition;

constexpr std::size_t max_shown = 200;

/// root and SlurmUser use every partition. The owner counts, not the sender.
bool is_exempt(const ResolvedRequest& asked) {
    return asked.request.user_id == 0 || asked.request.user_id == asked.context.cluster.slurm_user_id;
}

bool lets_member_in(const Partition& partition, const std::vector<std::string>& groups) {
    return partition.allow_groups.empty() ||
           std::ranges::any_of(partition.allow_groups, [&](const std::string& allowed) {
               return std::ranges::find(groups, allowed) != groups.end();
           });
}

std::string name_of_owner(const ResolvedRequest& asked) {
    const std::string& name = asked.view().user_name;
    return name.empty() ? text::format("user {}", asked.request.user_id) : text::printable(name, max_shown);
}

/// "partition bens is for members of ben (AllowGroups), and ana is not one"
std::string describe(const ResolvedRequest& asked, const Partition& partition) {
    return text::format("partition {} is for members of {} (AllowGroups), and {} is not one", partition.name,
                        text::printable(text::join(partition.allow_groups, ", "), max_shown),
                        name_of_owner(asked));
}

/// The job's partitions that the reader may see, in the order of the request.
std::vector<const Partition*> shown_partitions(const ResolvedRequest& asked) {
    std::vector<const Partition*> shown;
    for (const model::PartitionChoice& choice : asked.view().partitions)
        if (!choice.is_hidden) shown.push_back(choice.partition.get());
    return shown;
}

/// "partition bens is for … (User's group not permitted to use this partition)", and slurmctld's error.
GroupsAnswer refuse(const std::string& why, GroupsError error) {
    return {.blocked = error == GroupsError::missing_group
                           ? why + " (User's group not permitted to use this partition)"
                           : why,
            .not_judged = {},
            .error = error};
}

/// `denied` are those of the job's partitions that do not let the owner in.
GroupsAnswer judge_denied(const ResolvedRequest& asked, const std::vector<const Partition*>& denied) {
    const std::string why = describe(asked, *denied.front());
    const EnforcePartLimits enforce = asked.context.cluster.enforce_part_limits;
    const bool are_all = denied.size() == asked.view().partitions.size();
    if (enforce == EnforcePartLimits::all || (enforce == EnforcePartLimits::any && are_all))
        return refuse(why, GroupsError::missing_group);
    if (are_all) return {.blocked = why, .not_judged = {}}; // it stays pending
    return {};                                              // it starts in another one
}

/// The same for releases that stop at the first partition that denies access.
GroupsAnswer judge_until_denied(const ResolvedRequest& asked, const std::vector<const Partition*>& denied) {
    const std::string why = describe(asked, *denied.front());
    const EnforcePartLimits enforce = asked.context.cluster.enforce_part_limits;
    const auto& all = asked.view().partitions;
    const bool is_first = denied.front() == all.front().partition.get();
    if (enforce == EnforcePartLimits::any && !is_first) return refuse(why, GroupsError::not_available);
    if (enforce != EnforcePartLimits::no || all.size() == 1) return refuse(why, GroupsError::missing_group);
    if (denied.size() == all.size()) return {.blocked = why, .not_judged = {}};
    if (!is_first || asked.request.max_nodes) return {}; // it starts in another one
    return {.blocked = text::format("{}; {}", why, consequence_of_closed_first), .not_judged = {}};
}

} // namespace

GroupsAnswer judge_groups(const ResolvedRequest& asked, const quota::UserGroups& groups) {
    const auto shown = shown_partitions(asked);
    const auto has_groups = [](const Partition* partition) { return !partition->allow_groups.empty(); };
    const auto closed = std::ranges::find_if(shown, has_groups);
    if (closed == shown.end() || is_exempt(asked)) return {};
    const auto own = groups.groups_of(asked.request.user_id);
    if (!own)
        return {.blocked = {},
                .not_judged = text::format(
                    "partition {} is for members of {} (AllowGroups), and it is not "
                    "known whether {} is one: {}",
                    (*closed)->name, text::printable(text::join((*closed)->allow_groups, ", "), max_shown),
                    name_of_owner(asked), own.error().message)};
    std::vector<const Partition*> denied;
    std::ranges::copy_if(shown, std::back_inserter(denied),
                         [&](const Partition* partition) { return !lets_member_in(*partition, *own); });
    if (denied.empty()) return {};
    return asked.context.release.follows(limits::rules::stops_at_closed_groups)
               ? judge_until_denied(asked, denied)
               : judge_denied(asked, denied);
}

} // namespace qg::gate
