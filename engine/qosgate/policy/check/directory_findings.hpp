// SPDX-License-Identifier: GPL-2.0-or-later
//
// directory_findings: reads a policy directory and goes on after what would stop read_source_directory():
// owners, modes, files that cannot be read. It also finds files that look like rules, but are ignored.
#pragma once

#include "qosgate/policy/findings.hpp"

#include <span>
#include <vector>

namespace qg::policy {

/// The files that can be read, and what is wrong with the directory and the others.
struct DirectoryFindings {
    SourceDirectory sources;
    std::vector<Finding> findings; ///< in no order
};

/// Reads all parts of a policy, and its tests. Errors: as check_policy. Cost: blocking reads.
Result<DirectoryFindings> read_all_sources(const std::filesystem::path& directory, const OwnerCheck& owners);

/// The same for one who only wants to try the policy. Errors: also unavailable, with the first finding that
/// stops it from being loaded.
Result<SourceDirectory> read_loadable_sources(const std::filesystem::path& directory,
                                              const OwnerCheck& owners);

// ---- files of a policy that do nothing, because no other file uses them or no job reaches them ---------

/// The modules that no rule, module or test requires, the data that none reads, and rules behind one that
/// ends the chain for every job; none that stops loading. `rules` are those of `sources`. Only what is
/// certain: a name that is not a literal may be any. Cost: linear.
std::vector<Finding> find_unused(const SourceDirectory& sources, std::span<const RuleInfo> rules);

} // namespace qg::policy
