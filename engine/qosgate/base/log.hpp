// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines for the host's log, as values. The code that makes a line does not know where it is written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace qg {

enum class LogLevel : std::uint8_t { info, warning, error };

/// One line for the administrator: no newline, no tab.
struct LogLine {
    LogLevel level = LogLevel::info;
    std::string text;
};

/// Takes one line. It must not throw.
using LogSink = std::function<void(LogLevel level, std::string text)>;

} // namespace qg
