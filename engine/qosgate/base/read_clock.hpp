// SPDX-License-Identifier: GPL-2.0-or-later
//
// Clocks of the kernel that <chrono> does not have, such as CLOCK_THREAD_CPUTIME_ID.
#pragma once

#include <chrono>

#include <time.h>

namespace qg {

/// The time since a point that does not matter.
inline std::chrono::nanoseconds read_clock(clockid_t clock) noexcept {
    timespec now{};
    clock_gettime(clock, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

} // namespace qg
