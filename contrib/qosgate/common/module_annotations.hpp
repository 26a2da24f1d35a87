// SPDX-License-Identifier: GPL-2.0-or-later
//
// What editors are told about the modules that are built in.
#pragma once

#include "qosgate/policy/files/modules.hpp"

#include <ostream>
#include <span>

namespace qg::cli {

/// Writes a class of LuaLS for each module, with the functions and comments of its source, and require(),
/// which returns them.
void print_modules(std::ostream& out, std::span<const policy::ShippedModule> modules);

} // namespace qg::cli
