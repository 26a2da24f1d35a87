// SPDX-License-Identifier: GPL-2.0-or-later
//
// Times and spans as the command line names them.
#pragma once

#include "qosgate/base/result.hpp"

#include <ctime>
#include <string_view>

namespace qg::cli {

/// Seconds since 1970.
struct PastPeriod {
    std::time_t since = 0; ///< 0: from the beginning on
    std::time_t until = 0; ///< the first second after; 0: to the end
};

/// Each of both is empty, "7d" before `now` (also s, m, h and w), or "2026-11-20", "2026-11-20T09:30" or
/// "2026-11-20T09:30:15" in local time. Of a time that comes twice, because clocks are set back, the period
/// has both. Errors: invalid_input for another text, for a time over which clocks are set forward, and if the
/// period is empty.
Result<PastPeriod> parse_period(std::string_view since, std::string_view until, std::time_t now);

/// A moment to come.
struct FutureTime {
    std::time_t time = 0;
    bool comes_twice = false; ///< clocks are set back, and show it for the second time then
};

/// A moment after `now`: "7d" from now (also s, m, h and w), or a date as above, of which the last moment
/// counts if it comes twice. Errors: invalid_input for another text, for a time over which clocks are set
/// forward, and if it is not in the future.
Result<FutureTime> parse_future(std::string_view option, std::string_view given, std::time_t now);

/// "60s", "5m", "1h", "7d", "2w" in seconds; 0 for another text.
std::time_t parse_span(std::string_view given);

} // namespace qg::cli
