// SPDX-License-Identifier: GPL-2.0-or-later
//
// slurmctld's records of users, and the rights of users.
#pragma once

#include "records/assoc_mgr.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qg::plugin {

/// Slurm's record of a user, or null. Needs the user lock. Cost: walks the list of all users.
const slurmdb_user_rec_t* find_user(const AssocMgr& manager, std::uint32_t user_id);

/// The names of at most `max_users` users of accounting; none until slurmctld has heard from its database.
/// Waits for the locks. Cost: walks the list of all users.
std::vector<std::string> list_user_names(const AssocMgr& manager, std::size_t max_users);

/// Whether the user is root or SlurmUser (slurmctld runs as SlurmUser).
bool is_slurm_user(std::uint32_t user_id);

/// Whether slurmctld lets this user exceed all limits when changing a job. Needs the user lock.
bool has_operator_rights(const AssocMgr& manager, std::uint32_t user_id);

/// The accounts that a user coordinates. Needs the user lock as long as the result is in use.
std::vector<std::string_view> coordinated_accounts(const AssocMgr& manager, std::uint32_t user_id);

} // namespace qg::plugin
