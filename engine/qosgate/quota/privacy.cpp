// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/privacy.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>

namespace qg::quota {

bool is_shown(const model::Partition& partition, model::PrivateData data) {
    return !partition.is_hidden && !(data.partitions && partition.has_groups);
}

void hide_private_data(model::AccountView& view, model::PrivateData data, const Reader& reader) {
    view.hidden = data;
    for (model::PartitionChoice& choice : view.partitions)
        choice.is_hidden = !is_shown(*choice.partition, data);
    if (!data.accounts) return;
    for (model::Association& link : view.associations) {
        const bool is_own = link.level == model::AssociationLevel::user && reader.is_user;
        const bool is_coordinated = std::ranges::any_of(reader.coordinates, [&](std::string_view account) {
            return text::iequals(account, link.account);
        });
        link.is_hidden = !is_own && !is_coordinated;
    }
}

} // namespace qg::quota
