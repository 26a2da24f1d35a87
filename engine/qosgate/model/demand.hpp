// SPDX-License-Identifier: GPL-2.0-or-later
//
// Demand: the bounds of what a job comes to, for asking whether a limit can matter to it at all.
#pragma once

#include "qosgate/base/units.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace qg::model {

/// The most and the least that a new job comes to in any stage, TRES in the view's catalogue order.
/// Ownership: borrows the counts.
struct Demand {
    std::span<const std::uint64_t> most;
    std::span<const std::uint64_t> least;
    std::optional<TimeLimit> time_limit; ///< its own; nothing: limits may give it one
    std::uint32_t array_tasks = 1;
};

} // namespace qg::model
