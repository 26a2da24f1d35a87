// SPDX-License-Identifier: GPL-2.0-or-later
//
// import_spec: what sacctmgr wrote, as a spec file.
#pragma once

#include "qosgate/spec/load_files.hpp"

#include <span>
#include <string>
#include <vector>

namespace qg::spec {

/// A spec, and what is to be known about it.
struct Imported {
    std::string spec; ///< empty if there are problems
    std::vector<Problem> problems;
    /// What is no part of a spec and was left out, one sentence each: fair shares, limits of accounts.
    std::vector<std::string> left_out;
};

/// Reads files, each of which is either
/// - a file of `sacctmgr dump`: lines "QOS - 'night':Priority=10:…" (Slurm 25.05 and later), and what the
/// lines
///   of clusters, accounts and users say about their QOSs; or
/// - the output of `sacctmgr -P show qos`, with its header (any columns), or, with -n, in the columns that
///   Slurm shows if none are asked for (26 in 22.05 to 24.05, 28 later).
/// Quotes are as sacctmgr reads them: ' and " enclose, and there is no way to write one inside. At most 64
/// MiB together. The tables count as read before the dumps, so that a dump without QOSs can tell who may use
/// those of a table. A QOS is in one file only.
Imported import_spec(std::span<const SourceText> sources, const std::string& owner);

} // namespace qg::spec
