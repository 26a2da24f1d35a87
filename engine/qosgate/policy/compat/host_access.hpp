// SPDX-License-Identifier: GPL-2.0-or-later
//
// host_access: the functions of Lua that reach the host and that a script does not get inside slurmctld, or
// gets only for certain files and programs: they would start programs, read and write files, or end the
// daemon.
#pragma once

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
};

/// The uses that the text shows, as far as arguments are literal texts. `files` is what it may read; null:
/// nothing but qosgate.d. Cost: linear.
std::vector<HostAccess> find_host_access(std::string_view source, const ScriptFiles* files);

/// Whether the text calls io.popen, and so asks about users.
bool asks_for_users(std::string_view source);

/// Adds `io`, `os` with what is harmless, and functions in the place of the others that raise an error with
/// the same message. Inside a protected call.
void add_host_libraries(lua_State* lua);

} // namespace qg::policy::compat
