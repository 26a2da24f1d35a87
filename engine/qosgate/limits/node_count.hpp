// SPDX-License-Identifier: GPL-2.0-or-later
//
// The node count stage: the most nodes that limits let the selection use, present usage left aside
// (limits/README.md 4.3).
#pragma once

#include "qosgate/limits/evaluation.hpp"

#include <optional>

namespace qg::limits {

/// The limit that allows the fewest nodes, with the number allowed as its limit_value; nothing: no limit.
std::optional<Violation> find_node_limit(const Evaluation& job);

} // namespace qg::limits
