// SPDX-License-Identifier: GPL-2.0-or-later
//
// Explains what slurmctld refuses, or keeps pending, for other reasons than accounts and limits, where its
// error codes do not: a partition is down or closed, a name is misspelt, no node is large enough. The
// forecast and the verdict do not depend on it.
#pragma once

#include "qosgate/gate/decide/resolve.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace qg::gate {

/// What slurmctld does with a job that advice is about.
enum class Handling : std::uint8_t {
    accepts,    ///< slurmctld accepts the job and never starts it as it is
    may_refuse, ///< slurmctld may refuse the job, or certainly does
};

struct Advice {
    std::vector<std::string> lines; ///< for the user; empty: nothing is wrong
    Handling handling = Handling::accepts;
};

/// The lines for the user. The cluster must be known. Somebody may have added
/// names since the cluster was read, so the lines say which names are known, not which exist. Cost: little
/// for a job of one small node without names; else linear in its names, its partitions and their kinds of
/// nodes. `knows_reservations`: no reservation was added since.
Advice find_advice(const ResolvedRequest& resolved, bool knows_reservations);

} // namespace qg::gate
