// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/user_groups.hpp"

#include "qosgate/base/text.hpp"

#include <utility>

namespace qg::quota {

std::vector<std::string> names_of_groups(const model::DirectoryUser& user) {
    std::vector<std::string> names;
    for (const model::GroupName& group : user.groups)
        if (!group.name.empty()) names.push_back(group.name);
    return names;
}

Error no_such_user(std::uint32_t user_id) {
    return {ErrorCode::not_found,
            text::format("the directory service knows no user {}, and so no groups of it", user_id)};
}

RecordedGroups::RecordedGroups(std::span<const UserRecord> users, std::string cure) : cure_(std::move(cure)) {
    for (const UserRecord& user : users)
        if (user.groups) groups_.emplace(user.id, *user.groups);
}

Result<std::vector<std::string>> RecordedGroups::groups_of(std::uint32_t user_id) const {
    if (const auto found = groups_.find(user_id); found != groups_.end()) return found->second;
    return Error{ErrorCode::unavailable,
                 text::format("the groups of user {} are not known: {}", user_id, cure_)};
}

AskedGroups::AskedGroups(std::unique_ptr<UserDirectory> directory) : directory_(std::move(directory)) {}

Result<std::vector<std::string>> AskedGroups::groups_of(std::uint32_t user_id) const {
    const auto known = answers_.find(user_id);
    return known != answers_.end() ? known->second : answers_.emplace(user_id, ask(user_id)).first->second;
}

Result<std::vector<std::string>> AskedGroups::ask(std::uint32_t user_id) const {
    const auto name = directory_->find_user_name(user_id);
    if (!name) return name.error();
    if (!*name) return no_such_user(user_id);
    auto user = directory_->find_user(**name);
    if (!user) return user.error();
    // The name of an id may be one of nobody, or of another id.
    if (!*user || (*user)->id != user_id) return no_such_user(user_id);
    for (model::GroupName& group : (*user)->groups) {
        auto group_name = name_of(group.id);
        if (!group_name) return group_name.error();
        group.name = *std::move(group_name);
    }
    return names_of_groups(**user);
}

Result<std::string> AskedGroups::name_of(std::uint32_t group_id) const {
    if (const auto known = names_.find(group_id); known != names_.end()) return known->second;
    auto group = directory_->find_group(group_id);
    if (!group) return group.error();
    return names_.emplace(group_id, *group ? std::move((*group)->name) : std::string()).first->second;
}

} // namespace qg::quota
