// SPDX-License-Identifier: GPL-2.0-or-later
//
// Marks in the view of a job what PrivateData hides from the reader of the answer.
#pragma once

#include "qosgate/model/account_view.hpp"

#include <span>
#include <string_view>

namespace qg::quota {

/// The reader of an answer. Operators, root and SlurmUser see everything and are not readers in this sense.
struct Reader {
    bool is_user = false;                          ///< the job's user
    std::span<const std::string_view> coordinates; ///< accounts
};

/// Whether slurmctld shows a partition to a user: not with Hidden=YES, and not if PrivateData hides
/// partitions. The members of AllowGroups are not known here; users who ask for all partitions see these too
/// (slurm/README.md 3.4).
bool is_shown(const model::Partition& partition, model::PrivateData data);

/// Marks what is hidden from the reader: the partitions that are not shown, the usage of accounts that the
/// reader does not coordinate, and the limits of another user. Limits of the reader's own accounts are hidden
/// if both `accounts` and `usage` are: then no Slurm command is sure to show them (slurm/README.md 3.4).
/// Removes another user's accounts from `accounts`.
void hide_private_data(model::AccountView& view, model::PrivateData data, const Reader& reader);

/// Hides everything that PrivateData may hide, for a reader who is not known.
inline constexpr model::PrivateData all_private{
    .accounts = true, .usage = true, .partitions = true, .reservations = true, .nodes = true};

} // namespace qg::quota
