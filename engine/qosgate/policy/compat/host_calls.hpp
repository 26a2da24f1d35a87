// SPDX-License-Identifier: GPL-2.0-or-later
//
// host_calls: calls in the text of a script that may reach the host, and what their arguments show.
#pragma once

#include "qosgate/policy/check/syntax_tree.hpp"
#include "qosgate/policy/compat/host_access.hpp"
#include "qosgate/policy/compat/script_files.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace qg::policy::compat {

// ---- what a text shows of values -----------------------------------------------------------------------
// What the text of a source shows of a value: literals, what is joined to them, and variables that get one
// value only.

/// A value as far as it is known.
struct ShownText {
    std::string beginning; ///< empty: nothing is known
    bool is_whole = false; ///< nothing comes behind it
    bool is_sure = true;   ///< false: a variable is in it
    std::string end = {};  ///< if it is not whole: the literal behind values that are joined or put in
};

/// The content of a literal, as Lua 5.1 reads it. Empty: it is not a whole one.
std::optional<std::string> read_literal(const Token& token);

/// What the variables of a source are. Ownership: borrows the tree. Cost: linear to make.
class Values {
  public:
    explicit Values(const SyntaxTree& tree, bool knows_variables = true)
        : tree_(tree), knows_variables_(knows_variables), globals_(tree.global_values()) {}

    /// The value of an expression. Cost: bounded by its length, and by that of a few others whose value it
    /// names.
    [[nodiscard]] ShownText read(NodeId expression) const { return read(expression, max_depth); }

  private:
    static constexpr int max_depth = 4; ///< of brackets, and of variables whose values name others

    [[nodiscard]] ShownText read(NodeId expression, int depth) const;
    [[nodiscard]] ShownText read_operand(NodeId operand, int depth) const;
    /// The only value of a variable; no_node: it is not known.
    [[nodiscard]] NodeId value_of(NodeId name) const;

    const SyntaxTree& tree_;
    const bool knows_variables_;
    std::unordered_map<std::string_view, NodeId> globals_;
};

/// A function that is not there, or not as in Lua.
struct Withheld {
    const char* library; ///< empty: a global
    const char* name;
    const char* instead;
};

/// "io.popen"
std::string full_name(const Withheld& what);

/// Whether a node names it: io.popen, or dofile in dofile(...) and pcall(dofile, ...).
bool does_name(const SyntaxTree& tree, NodeId node, const Withheld& what);

/// The beginning of a call's arguments.
struct Arguments {
    std::string first;     ///< the beginning that is known; empty: nothing is
    bool is_whole = false; ///< nothing is joined to it
    std::string second;    ///< a literal text
    bool is_sure = true;   ///< false: a variable is in it, or the call may not be made
    std::string last = {}; ///< the literal at the end, behind values that are joined or put in
};

/// Of these arguments.
Arguments read_from(const SyntaxTree& tree, std::span<const NodeId> given, const Values& values);

/// What a function that a node names is called with, also by pcall(FUNCTION, ...) and xpcall(FUNCTION,
/// HANDLER, ...). Nothing is known if it is not called.
Arguments read_call(const SyntaxTree& tree, NodeId function, const Values& values);

/// A function that depends on its arguments.
struct Checked {
    Withheld function;
    std::string (*describe)(Arguments& arguments, const ScriptFiles* files);
};

/// All of them.
std::span<const Checked> checked_calls() noexcept;

/// Calls that reach the host by another name: `local open = io.open`, or a function of the script that gives
/// its parameter to one of a library. They are judged as if they called the function itself; none of it is
/// sure. `files` as for find_host_access(). Cost: linear in the calls of such functions.
std::vector<HostAccess> find_wrapped_access(const SyntaxTree& tree, const Values& values,
                                            const ScriptFiles* files);

} // namespace qg::policy::compat
