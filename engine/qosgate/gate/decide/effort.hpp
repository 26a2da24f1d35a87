// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much work a request causes. The gate does not check a request that causes too much, because slurmctld
// waits meanwhile.
#pragma once

#include "qosgate/gate/decide/resolve.hpp"

#include <optional>
#include <string>

namespace qg::gate {

/// Why a request is too large to be checked.
struct TooLarge {
    std::string why;
    std::string advice;             ///< what the user can do about it
    bool slurmctld_refuses = false; ///< slurmctld refuses the request anyway
};

/// Finds what is too large in a request; empty if nothing is. Texts are read up to a maximum length. A job is
/// tried in each partition with each of its QOSs, and its gres and licenses are counted each time.
std::optional<TooLarge> find_too_large(const ResolvedRequest& resolved);

/// Whether several forecasts of a request are cheap.
bool is_short(const ResolvedRequest& resolved);

} // namespace qg::gate
