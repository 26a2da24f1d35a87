// SPDX-License-Identifier: GPL-2.0-or-later
//
// ScriptRun: one call of a function of a script for job_submit/lua, and what it says meanwhile.
#pragma once

#include "qosgate/policy/compat/script_files.hpp"
#include "qosgate/policy/compat/script_host.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct lua_State;

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

    /// `host` is null while the script is loaded. Ownership: borrows both.
    ScriptRun(ScriptHost* host, const ScriptFiles& files) noexcept : host_(host), files_(files) {}

    [[nodiscard]] ScriptHost* host() const noexcept { return host_; }
    [[nodiscard]] const ScriptFiles& files() const noexcept { return files_; }
    /// A text on its way to Lua, which a Lua error may skip.
    [[nodiscard]] std::string& scratch() noexcept { return scratch_; }

    /// The instructions that looking for modules and compiling them may take without a charge, once in the
    /// life of a state.
    static constexpr std::int64_t full_module_credit = 300'000;
    /// What is left of them.
    [[nodiscard]] std::int64_t& module_credit() noexcept { return module_credit_; }

    /// From now on lines are written at once, and are not kept.
    void write_to(void (*write)(int level, const char* line)) noexcept { write_ = write; }

    /// Whether qosgate has refused something that the script would have under Slurm's plugin.
    [[nodiscard]] bool has_withheld() const noexcept { return has_withheld_; }
    void note_withheld() noexcept { has_withheld_ = true; }

    /// Adds a line to the message for the user.
    void tell(std::string_view text) noexcept;
    void log(int level, std::string_view text) noexcept;

    [[nodiscard]] bool has_message() const noexcept { return has_message_; }
    [[nodiscard]] const std::string& message() const noexcept { return message_; }
    [[nodiscard]] std::vector<ScriptLine>& lines() noexcept { return lines_; }

  private:
    ScriptHost* host_;
    const ScriptFiles& files_;
    void (*write_)(int level, const char* line) = nullptr; ///< null: lines are kept
    std::string scratch_;
    std::int64_t module_credit_ = full_module_credit;
    bool has_message_ = false;
    bool has_withheld_ = false;
    std::string message_;
    std::vector<ScriptLine> lines_;
};

/// Raises an error for what qosgate does not give the script though it may exist. The script's own pcall and
/// xpcall do not catch it: the script would go on as if it did not exist, and nobody would see that. The
/// place is that of the innermost function in Lua.
int raise_withheld(lua_State* lua, const char* message);

} // namespace qg::policy::compat
