// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is in the directory of rules of this host's slurmctld, beside what slurmctld tells about it: what else
// is wrong if it does not load, because slurmctld stops at the first error, and which rules it has.
#pragma once

#include "qosgate/base/result.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

struct DirectoryProblems {
    /// Whether the error of slurmctld is found here, too. If not, the directory has changed, is another one,
    /// or loads and its tests fail; then nothing is told.
    bool confirms_error = false;
    std::vector<std::string> others = {}; ///< "20-b.lua:3: what", all that keep the directory from loading
};

/// Checks the directory as slurmctld reads it, in the sandbox, without its tests. `known` is the error of
/// slurmctld. Nothing is told of a directory that is not that of this host's slurmctld, or if the process is
/// neither root nor slurmctld's user. Cost: blocking reads; compiles and runs every file. Threads: the
/// process must have one only.
DirectoryProblems find_problems(const std::filesystem::path& directory, std::string_view known);

/// The hash of the rules in the directory, as the plugin's report has it, if slurmctld has had ten seconds to
/// read them. Empty: something was changed later, there is no directory, it cannot be read, or as above.
/// Cost: blocking reads. Threads: the process must have one only.
std::optional<std::string> find_settled_hash(const std::filesystem::path& directory);

/// "20-b.lua:3: the cluster has no QOS 'gpuu'", for each literal name in rules that the cluster does not
/// have. None of a directory as above. Errors: if rules have names, those of read_cluster_names(). Cost:
/// blocking reads; if rules have names, that of read_cluster_names(). Threads: the process must have one
/// only.
Result<std::vector<std::string>> find_unknown_names(const std::filesystem::path& directory);

} // namespace qg::cli
