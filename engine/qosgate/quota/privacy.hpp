// SPDX-License-Identifier: GPL-2.0-or-later
//
// What PrivateData hides from whoever reads an answer, marked in the view that the answer is made from.
#pragma once

#include "qosgate/model/account_view.hpp"

#include <span>
#include <string_view>

namespace qg::quota {

/// Who reads an answer. Operators, root and SlurmUser see everything and are none.
struct Reader {
    bool is_user = false;                          ///< the job's user
    std::span<const std::string_view> coordinates; ///< accounts
};

/// Whether slurmctld shows a partition to a user: not with Hidden=YES, and none where PrivateData hides
/// partitions. Who is in AllowGroups is not known here; to users who ask for all it hides nothing
/// (slurm/README.md 3.4).
bool is_shown(const model::Partition& partition, model::PrivateData data);

/// Marks what is hidden from the reader: the partitions that are not shown; and under `data` the associations
/// of accounts that the reader does not coordinate, and those of other users. Takes such accounts of another
/// user out of `accounts`.
void hide_private_data(model::AccountView& view, model::PrivateData data, const Reader& reader);

/// Hides everything that PrivateData may hide: of a reader about whom nothing is known.
inline constexpr model::PrivateData all_private{.accounts = true, .partitions = true, .reservations = true};

} // namespace qg::quota
