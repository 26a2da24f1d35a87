// SPDX-License-Identifier: GPL-2.0-or-later
//
// host_calls: calls in the text of a script that may reach the host, and what their arguments show.
#pragma once

#include "qosgate/policy/check/syntax_tree.hpp"
#include "qosgate/policy/compat/host_access.hpp"
#include "qosgate/policy/compat/script_files.hpp"
#include "qosgate/policy/compat/shown_text.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy::compat {

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
