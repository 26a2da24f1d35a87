// SPDX-License-Identifier: GPL-2.0-or-later
//
// modules: the Lua files that rules load with require("NAME"): those that are built in (lua/lib in the
// source), and the site's own in qosgate.d/lib.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/source_files.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

inline constexpr std::size_t max_module_name = 40;

/// A module that is built in.
struct ShippedModule {
    std::string_view name; ///< "limits"
    std::string_view file; ///< as messages show it: "qosgate/lib/limits.lua"
    std::string_view text;
};

/// All of them, in the order of their names. Made from lua/lib when qosgate is built.
std::span<const ShippedModule> shipped_modules() noexcept;

/// One module of a policy. Ownership: `text` is borrowed from the SourceDirectory, or built in.
struct Module {
    std::string name;
    std::string file; ///< "lib/projects.lua"
    std::string_view text;
    bool is_shipped = false;
};

/// The name by which a file of the part `lib` is required.
std::string_view module_name(std::string_view file) noexcept;

/// Why a file of the part `lib` can be no module, because of its name; empty: it can.
std::string describe_bad_module_name(std::string_view file);

/// The names that require() takes, in order.
std::vector<std::string> module_names(const SourceDirectory& sources);

/// All modules of the site, and the built-in ones that they or the rules name, each behind those that it
/// requires. Errors: invalid_input for a name that no module may have ("lib/a b.lua: ..."), and for modules
/// that require each other ("lib/a.lua:3: ...", with the circle). Cost: linear.
Result<std::vector<Module>> order_modules(const SourceDirectory& sources);

} // namespace qg::policy
