// SPDX-License-Identifier: GPL-2.0-or-later
//
// JobUser: whose jobs or limits a command is about.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/quota/provider.hpp"
#include "qosgate/report/user_world.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace qg::cli {

/// The user of that name or number; empty: the caller. `known` are ids by name, as a file of `qosgate
/// capture` has them; empty: there is no such file. Errors: not_found.
Result<report::JobUser> find_job_user(const std::string& named,
                                      const std::map<std::string, std::uint32_t>& known);

/// The name of the user who runs this program, or the number if this host does not know it.
std::string name_of_caller();

/// A user may see only what is their own; root, SlurmUser and operators everything. `what` is what they may
/// do
/// ("try jobs of other users"). Errors: permission_denied.
Result<void> check_rights_over(const report::JobUser& user, const quota::QuotaProvider& accounting,
                               const char* what);

} // namespace qg::cli
