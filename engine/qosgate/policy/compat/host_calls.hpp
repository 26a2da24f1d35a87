// SPDX-License-Identifier: GPL-2.0-or-later
//
// host_calls: calls in the text of a script that may reach the host, and what their arguments show.
#pragma once

#include "qosgate/policy/compat/script_files.hpp"
#include "qosgate/policy/compat/shown_text.hpp"
#include "qosgate/policy/lua_tokens.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace qg::policy::compat {

/// A function that is not there, or not as in Lua.
struct Withheld {
    const char* library; ///< empty: a global
    const char* name;
    const char* instead;
};

/// "io.popen"
std::string full_name(const Withheld& what);

/// How many tokens its full name has.
std::size_t token_count(const Withheld& what) noexcept;

/// Whether the tokens at `at` name it: io.popen, or dofile(.
bool does_name(std::span<const Token> tokens, std::size_t at, const Withheld& what);

/// The beginning of a call's arguments.
struct Arguments {
    std::string first;     ///< the beginning that is known; empty: nothing is
    bool is_whole = false; ///< nothing is joined to it
    std::string second;    ///< a literal text
    bool is_sure = true;   ///< false: a variable is in it, or the call may not be made
    std::string last = {}; ///< the literal at the end, behind values that are joined or put in
};

/// `at` is where the first argument begins.
Arguments read_from(std::span<const Token> tokens, std::size_t at, const Values& values);

/// `at` is behind the name of the function.
Arguments read_beginning(std::span<const Token> tokens, std::size_t at, const Values& values);

/// The same for pcall(FUNCTION, …) and xpcall(FUNCTION, HANDLER, …), if the tokens at `at` name the function
/// there. Empty: they do not.
std::optional<Arguments> read_protected_call(std::span<const Token> tokens, std::size_t at,
                                             const Withheld& what, const Values& values);

/// A function that depends on its arguments.
struct Checked {
    Withheld function;
    std::string (*describe)(Arguments& arguments, const ScriptFiles* files);
};

/// All of them.
std::span<const Checked> checked_calls() noexcept;

} // namespace qg::policy::compat
