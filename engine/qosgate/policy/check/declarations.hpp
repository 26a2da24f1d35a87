// SPDX-License-Identifier: GPL-2.0-or-later
//
// Declarations: what a file declares with `site { ... }` or `rule { ... }` while it is loaded.
#pragma once

#include "qosgate/policy/lua/sandbox.hpp"
#include "qosgate/policy/rule.hpp"
#include "qosgate/policy/settings.hpp"

#include <span>

namespace qg::policy {

/// Filled by one file; LuaState::declarations points here while that file runs.
class Declarations {
  public:
    Settings settings;
    RuleInfo rule; ///< `name` and `file` are set beforehand
    RuleFunctions functions;
    bool has_events = false; ///< whether the rule lists its events (`on`)
    bool is_made = false;
};

/// `site`, for site.lua.
std::span<const ExtraGlobal> site_globals() noexcept;
/// `rule` and what modules have, for rule files.
std::span<const ExtraGlobal> rule_globals() noexcept;
/// `require` and `data`, for modules.
std::span<const ExtraGlobal> module_globals() noexcept;

} // namespace qg::policy
