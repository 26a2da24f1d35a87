// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines for the host's log, as values: who makes them does not know where they go.
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
