// SPDX-License-Identifier: GPL-2.0-or-later
//
// A period of the past, as the command line names it.
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
/// "2026-11-20T09:30:15" in local time. Errors: invalid_input for another text, and if the period is empty.
Result<PastPeriod> parse_period(std::string_view since, std::string_view until, std::time_t now);

} // namespace qg::cli
