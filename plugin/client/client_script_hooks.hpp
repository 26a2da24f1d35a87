// SPDX-License-Identifier: GPL-2.0-or-later
//
// client_script: runs a site's script for Slurm's cli_filter/lua, qosgate.d/compat/cli_filter.lua, in the
// hooks of the client. As under Slurm's plugin it runs in the client's own process, where its changes are
// made.
#pragma once

#include <cstdint>
#include <string_view>

namespace qg::plugin {

/// The hooks. `options` are the client's, which is `client` ("" for another program). They return false if
/// the client is to end. Without a script, or if site.lua says client = "off", they do nothing. A script that
/// does not load, or fails, is an error in the client's log, and the client goes on. Threads: the client's
/// only one.
bool script_sets_defaults(void* options, std::string_view client, bool early);
bool script_allows(void* options, std::string_view client, int part);
void script_sees_submitted(int part, std::uint32_t job, std::uint32_t step);

} // namespace qg::plugin
