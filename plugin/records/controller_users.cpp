// SPDX-License-Identifier: GPL-2.0-or-later
#include "records/controller_users.hpp"

#include "qosgate/slurm/values.hpp"

#include <unistd.h>

namespace qg::plugin {

const slurmdb_user_rec_t* find_user(const AssocMgr& manager, std::uint32_t user_id) {
    return slurm::find_first<slurmdb_user_rec_t>(
        *manager.user_list,
        [user_id](const slurmdb_user_rec_t& user) noexcept { return user.uid == user_id; });
}

std::vector<std::string> list_user_names(const AssocMgr& manager, std::size_t max_users) {
    std::vector<std::string> names;
    const AssocMgrReadLock lock(manager);
    if (*manager.user_list == nullptr) return names;
    slurm::for_each<slurmdb_user_rec_t>(*manager.user_list, [&](const slurmdb_user_rec_t& user) {
        if (names.size() < max_users) names.emplace_back(slurm::view_text(user.name));
    });
    return names;
}

bool is_slurm_user(std::uint32_t user_id) {
    return user_id == 0 || user_id == geteuid();
}

bool has_operator_rights(const AssocMgr& manager, std::uint32_t user_id) {
    if (is_slurm_user(user_id)) return true;
    const slurmdb_user_rec_t* user = find_user(manager, user_id);
    return user != nullptr && user->admin_level >= SLURMDB_ADMIN_OPERATOR;
}

std::vector<std::string_view> coordinated_accounts(const AssocMgr& manager, std::uint32_t user_id) {
    std::vector<std::string_view> names;
    if (const slurmdb_user_rec_t* user = find_user(manager, user_id))
        slurm::for_each<slurmdb_coord_rec_t>(user->coord_accts, [&](const slurmdb_coord_rec_t& account) {
            names.push_back(slurm::view_text(account.name));
        });
    return names;
}

} // namespace qg::plugin
