// SPDX-License-Identifier: GPL-2.0-or-later
//
// host_wrappers: calls that reach the host by another name: `local open = io.open`, or a function of the
// script that gives its parameter to one of a library.
#pragma once

#include "qosgate/policy/compat/host_access.hpp"
#include "qosgate/policy/compat/host_calls.hpp"

#include <vector>

namespace qg::policy::compat {

/// What such calls get is judged as if they were the function itself; none of it is sure. `files` as for
/// find_host_access(). Cost: the length of the source for each such function.
std::vector<HostAccess> find_wrapped_access(std::span<const Token> tokens, const Values& values,
                                            const ScriptFiles* files);

} // namespace qg::policy::compat
