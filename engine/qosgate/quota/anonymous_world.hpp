// SPDX-License-Identifier: GPL-2.0-or-later
//
// anonymous_world: a world without the names of people and accounts.
#pragma once

#include "qosgate/quota/scenario.hpp"

namespace qg::quota {

/// Replaces the names and ids of users (user1 with the id 100001, ...) and the names of accounts (account1,
/// ...) everywhere by the same new ones. root, SlurmUser's id and the account root stay; names of QOSs,
/// partitions, nodes, reservations and licenses do, too.
void make_anonymous(World& world);

} // namespace qg::quota
