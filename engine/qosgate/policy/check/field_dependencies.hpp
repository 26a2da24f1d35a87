// SPDX-License-Identifier: GPL-2.0-or-later
//
// field_dependencies: which parts of a job a rule may look at when a job is changed, so that a change of
// other parts need not run it. In doubt it is all of them.
//
// The search follows `job` and `before` in the rule's file and in modules: reads of fields, is_set and add
// with a literal, and calls of functions whose code it finds, from argument to parameter. Any other use
// (job[name], another name for it, a call of a function that it does not find) is a doubt.
#pragma once

#include "qosgate/policy/run/compiled_rules.hpp"

#include <set>
#include <string>
#include <string_view>

namespace qg::policy {

/// Sets what each rule for changes looks at; limits are always among it. `compiled` was made from the
/// sources. Cost: linear in the sizes of the rule's file and of modules; no Lua is run.
void note_field_dependencies(CompiledRules& compiled, const StateSources& sources);

// ---- whether functions keep something ------------------------------------------------------------------
// Whether Lua code may keep something from one call of its functions to the next, such as a counter. A
// function that keeps nothing does the same again when it reads the same values.
//
// In doubt the check says that something may be kept.

/// Whether the functions of a file, which compiles, may change what outlives their call: a local of the file
/// or of an enclosing function, or a table. `stateful_modules` are the modules that may; a file that requires
/// one may, too. What the file does while it loads does not count. Rules that write the fields of their own
/// `job` keep nothing by that. Cost: linear.
bool may_keep_state(std::string_view source, const std::set<std::string, std::less<>>& stateful_modules);

} // namespace qg::policy
