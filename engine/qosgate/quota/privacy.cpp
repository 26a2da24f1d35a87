// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/privacy.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>

namespace qg::quota {

bool is_shown(const model::Partition& partition, model::PrivateData data) {
    return !partition.is_hidden && !data.partitions;
}

void hide_private_data(model::AccountView& view, model::PrivateData data, const Reader& reader) {
    view.hidden = data;
    for (model::PartitionChoice& choice : view.partitions)
        choice.is_hidden = !is_shown(*choice.partition, data);
    if (!data.accounts && !data.usage) return;
    const auto is_coordinated = [&](std::string_view account) {
        return std::ranges::any_of(reader.coordinates,
                                   [&](std::string_view own) { return text::iequals(own, account); });
    };
    for (model::Association& link : view.associations) {
        const bool is_own = link.level == model::AssociationLevel::user && reader.is_user;
        if (is_own || is_coordinated(link.account)) continue;
        link.hides_limits = !reader.is_user || (data.accounts && data.usage);
        link.hides_usage = link.hides_limits || data.usage;
    }
    if (reader.is_user) return;
    std::erase_if(view.accounts, [&](const std::string& account) { return !is_coordinated(account); });
    std::erase_if(view.accounts_of_partitions,
                  [&](const model::UserAccount& account) { return !is_coordinated(account.name); });
}

} // namespace qg::quota
