// SPDX-License-Identifier: GPL-2.0-or-later
//
// ScriptRun: one call of a function of a script for job_submit/lua, and what it says meanwhile.
#pragma once

#include "qosgate/policy/compat/script_host.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy::compat {

/// A line that the script writes into slurmctld's log.
struct ScriptLine {
    static constexpr int error = -1;
    int level = 0; ///< 0: info, 1: verbose, from 2 on: debug, debug2 …; or `error`
    std::string text;
};

/// Threads: not thread-safe. The members that Lua's C functions call are noexcept; what does not fit is
/// dropped.
class ScriptRun {
  public:
    static constexpr std::size_t max_lines = 100;                      ///< for the log
    static constexpr std::size_t max_message = std::size_t{64} * 1024; ///< bytes for the user
    static constexpr std::size_t max_line = std::size_t{4} * 1024;

    /// `host` is null while the script is loaded.
    explicit ScriptRun(ScriptHost* host) noexcept : host_(host) {}

    [[nodiscard]] ScriptHost* host() const noexcept { return host_; }

    /// Adds a line to the message for the user.
    void tell(std::string_view text) noexcept;
    void log(int level, std::string_view text) noexcept;

    [[nodiscard]] bool has_told() const noexcept { return has_told_; }
    [[nodiscard]] const std::string& message() const noexcept { return message_; }
    [[nodiscard]] std::vector<ScriptLine>& lines() noexcept { return lines_; }

  private:
    ScriptHost* host_;
    bool has_told_ = false;
    std::string message_;
    std::vector<ScriptLine> lines_;
};

} // namespace qg::policy::compat
