// SPDX-License-Identifier: GPL-2.0-or-later
//
// host_access: the functions of Lua that reach the host and that a script does not get inside slurmctld: they
// would start programs, read and write files, or end the daemon.
#pragma once

#include <string>
#include <string_view>
#include <vector>

struct lua_State;

namespace qg::policy::compat {

/// One use in a source.
struct HostAccess {
    int line = 0;
    std::string message; ///< what is not there, and what to use instead
};

/// The uses that the text shows. Cost: linear.
std::vector<HostAccess> find_host_access(std::string_view source);

/// Adds `os` with what is harmless, and functions in the place of the others that raise an error with the
/// same message. Inside a protected call.
void add_host_libraries(lua_State* lua);

} // namespace qg::policy::compat
