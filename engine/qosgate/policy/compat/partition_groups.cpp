// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/partition_groups.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/directory.hpp"

#include <algorithm>
#include <optional>

namespace qg::policy::compat {

Result<bool> is_shown_to(std::string_view allow_groups, std::uint32_t user_id, ScriptHost& host) {
    bool does_one_exist = false;
    std::optional<Error> not_known;
    for (const std::string_view name : text::split(allow_groups, ',')) {
        const auto group = host.find_group(name);
        if (!group) not_known = group.error(); // another one may let the user in
        if (!group || *group == nullptr) continue;
        does_one_exist = true;
        const auto user = host.find_user(user_id);
        if (!user) return user.error();
        // Two groups of one id are one group, as for Slurm.
        if (*user != nullptr &&
            std::ranges::find((*user)->groups, (*group)->id, &model::GroupName::id) != (*user)->groups.end())
            return true;
    }
    if (not_known) return *not_known;
    return !does_one_exist;
}

} // namespace qg::policy::compat
