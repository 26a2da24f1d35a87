// SPDX-License-Identifier: GPL-2.0-or-later
//
// directory_findings: reads a policy directory and goes on after what would stop read_source_directory():
// owners, modes, files that cannot be read. It also finds files that look like rules, but are ignored.
#pragma once

#include "qosgate/policy/findings.hpp"

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

} // namespace qg::policy
