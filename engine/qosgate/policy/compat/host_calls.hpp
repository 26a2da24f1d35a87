// SPDX-License-Identifier: GPL-2.0-or-later
//
// host_calls: calls in the text of a script that may reach the host, and what their arguments show.
#pragma once

#include "qosgate/policy/compat/script_files.hpp"
#include "qosgate/policy/lua_tokens.hpp"

#include <cstddef>
#include <map>
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

/// Whether the tokens at `at` name it: io.popen, or dofile(.
bool does_name(std::span<const Token> tokens, std::size_t at, const Withheld& what);

/// The beginning of a call's arguments.
struct Arguments {
    std::string_view first; ///< a literal text; empty: it is none, or its content is not known
    bool is_whole = false;  ///< nothing is joined to it
    std::string_view second;
    bool is_sure = true; ///< false: `first` is what a variable seems to be, or the call may not be made
    std::string_view last = {}; ///< the literal at the end, behind values that are joined or put in
};

/// What a source gives to its variables.
class Values {
  public:
    Values() = default;
    explicit Values(std::span<const Token> tokens) {
        for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
            const bool is_member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is(":"));
            if (!tokens[i].is_name() || is_member || !tokens[i + 1].is("=")) continue;
            const bool is_literal = tokens[i + 2].kind == TokenKind::text && !tokens[i + 3].is("..");
            const auto [at, is_new] = values_.try_emplace(tokens[i].text);
            at->second = is_new && is_literal ? tokens[i + 2].text : std::string_view();
        }
    }
    /// The literal text of a variable that gets only this one; else empty. A guess: blocks are not told
    /// apart.
    [[nodiscard]] std::string_view guess(std::string_view name) const {
        const auto found = values_.find(name);
        return found == values_.end() ? std::string_view() : found->second;
    }

  private:
    std::map<std::string_view, std::string_view> values_;
};

/// `at` is where the first argument begins.
Arguments read_from(std::span<const Token> tokens, std::size_t at, const Values& values);

/// `at` is behind the name of the function.
Arguments read_beginning(std::span<const Token> tokens, std::size_t at, const Values& values);

/// A function that depends on its arguments.
struct Checked {
    Withheld function;
    std::string (*describe)(Arguments& arguments, const ScriptFiles* files);
};

/// All of them.
std::span<const Checked> checked_calls() noexcept;

} // namespace qg::policy::compat
