// SPDX-License-Identifier: GPL-2.0-or-later
//
// A decision as text, for tests that compare two of them.
#pragma once

#include "qosgate/model/decision.hpp"

#include <sstream>
#include <string>

namespace qg::test {

/// What slurmctld, the user and the log learn of it; not what is recorded.
inline std::string describe(const model::Decision& decision) {
    const model::Forecast& forecast = decision.forecast;
    std::ostringstream text;
    text << "reject " << static_cast<int>(decision.reject) << ", forecast " << static_cast<int>(forecast.code)
         << " " << forecast.reason << ", pending " << forecast.pending_reason << ", time ";
    if (forecast.time_limit) text << *forecast.time_limit;
    text << (forecast.time_set_by_limit ? " set by a limit" : "") << (decision.changed ? "\nchanged" : "");
    for (const std::string& line : decision.message)
        text << "\n" << line;
    for (const LogLine& line : decision.log)
        text << "\nlog: " << line.text;
    return text.str();
}

} // namespace qg::test
