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

namespace qg::policy {

/// Sets what each rule for changes looks at; limits are always among it. `compiled` was made from the
/// sources. Cost: linear in the sizes of the rule's file and of modules; no Lua is run.
void note_field_dependencies(CompiledRules& compiled, const StateSources& sources);

} // namespace qg::policy
