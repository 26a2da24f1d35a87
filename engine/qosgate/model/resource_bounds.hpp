// SPDX-License-Identifier: GPL-2.0-or-later
//
// ResourceBounds: bounds of a job's size. They tell whether a limit can matter to the job at all.
#pragma once

#include "qosgate/base/units.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace qg::model {

/// The maximum and minimum size of a new job in any stage, TRES in the view's catalogue order.
/// Ownership: borrows the counts.
struct ResourceBounds {
    std::span<const std::uint64_t> max;
    std::span<const std::uint64_t> min;
    std::optional<TimeLimit> time_limit; ///< requested by the job; empty: limits may give it one
    std::uint32_t array_tasks = 1;
};

} // namespace qg::model
