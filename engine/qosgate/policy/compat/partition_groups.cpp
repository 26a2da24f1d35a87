// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/partition_groups.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/directory.hpp"

#include <algorithm>

namespace qg::policy::compat {

Result<bool> lets_in(std::string_view allow_groups, std::uint32_t user_id, ScriptHost& host) {
    bool is_any_known = false;
    for (const std::string_view name : text::split(allow_groups, ',')) {
        const auto group = host.find_group(name);
        if (!group) return group.error();
        if (*group == nullptr) continue;
        is_any_known = true;
        const auto user = host.find_user(user_id);
        if (!user) return user.error();
        // Two groups of one id are one group, as for Slurm.
        if (*user != nullptr &&
            std::ranges::find((*user)->groups, (*group)->id, &model::GroupName::id) != (*user)->groups.end())
            return true;
    }
    return !is_any_known;
}

} // namespace qg::policy::compat
