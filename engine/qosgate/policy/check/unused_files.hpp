// SPDX-License-Identifier: GPL-2.0-or-later
//
// unused_files: files of a policy that do nothing, because no other file uses them or no job reaches them.
#pragma once

#include "qosgate/policy/findings.hpp"

#include <span>
#include <vector>

namespace qg::policy {

/// The modules that no rule, module or test requires, the data that none reads, and rules behind one that
/// ends the chain for every job; none that stops loading. `rules` are those of `sources`. Only what is
/// certain: a name that is not a literal may be any. Cost: linear.
std::vector<Finding> find_unused(const SourceDirectory& sources, std::span<const RuleInfo> rules);

} // namespace qg::policy
