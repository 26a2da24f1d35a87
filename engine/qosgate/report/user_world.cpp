// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/report/user_world.hpp"

#include <algorithm>
#include <utility>

namespace qg::report {

std::string UserWorld::name_of(std::uint32_t user_id) const {
    const auto found =
        std::ranges::find_if(users, [user_id](const auto& user) { return user.second == user_id; });
    return found == users.end() ? std::to_string(user_id) : found->first;
}

UserWorld make_user_world(quota::World read) {
    UserWorld world;
    world.cluster = std::make_shared<const model::Cluster>(quota::make_cluster(read));
    world.now = read.captured_at;
    for (const quota::UserRecord& user : read.records.users)
        if (!user.name.empty()) world.users.emplace(user.name, user.id);
    for (const quota::LocalAssociation& association : read.records.associations)
        if (!association.link.user.empty()) world.users.emplace(association.link.user, association.user_id);
    world.accounting = std::make_unique<const quota::LocalQuota>(std::move(read.records));
    return world;
}

} // namespace qg::report
