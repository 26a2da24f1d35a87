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

/// A clock for <chrono> that is read in less time than steady_clock. It moves with the kernel's tick, every 1
/// to 10 ms.
struct CoarseClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<CoarseClock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept { return time_point(read_clock(CLOCK_MONOTONIC_COARSE)); }
};

} // namespace qg
