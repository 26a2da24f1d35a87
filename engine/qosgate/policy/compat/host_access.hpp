// SPDX-License-Identifier: GPL-2.0-or-later
//
// host_access: the functions of Lua that reach the host and that a script does not get inside slurmctld, or
// gets only for certain files and programs: they would start programs, read and write files, or end the
// daemon.
#pragma once

#include "qosgate/policy/check/syntax_tree.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

struct lua_State;

namespace qg::policy::compat {

class ScriptFiles;

/// One use in a source.
struct HostAccess {
    int line = 0;
    std::string message; ///< what is not there, and what to use instead
    bool is_sure =
        true; ///< false: an argument is a variable that the text sets only once, or a module is missing
};

/// The uses that the text shows, as far as arguments are literal texts, or variables that are set only once.
/// `files` is what it may read; null: nothing but qosgate.d. Cost: linear.
std::vector<HostAccess> find_host_access(const SyntaxTree& tree, const ScriptFiles* files);

/// The first one that is sure: a source with one is not loaded.
std::optional<HostAccess> find_sure_host_access(std::string_view source, const ScriptFiles* files);

/// Whether the text calls io.popen, and so asks about users.
bool asks_for_users(std::string_view source);

/// Adds the names and short literals of a source.
void add_mentioned_names(std::string_view source, std::set<std::string, std::less<>>& names);

/// Adds `io`, `os` with what is harmless, and functions in the place of the others that raise an error with
/// the same message. Inside a protected call.
void add_host_libraries(lua_State* lua);

// ---- the library io ------------------------------------------------------------------------------------
// Files are read from the policy (script_files.hpp), and io.popen answers what host_programs.hpp knows.
// Handles hold nothing of the host, so they need no finalizer.

/// Adds `io` to the globals. Inside a protected call.
void add_io(lua_State* lua);

// ---- dofile, loadfile, require and package -------------------------------------------------------------
// They read the files of the policy (script_files.hpp).

/// Adds the functions to the globals; the libraries are there already. Inside a protected call.
void add_modules(lua_State* lua);

} // namespace qg::policy::compat
