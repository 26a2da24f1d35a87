// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads spec files: YAML (also JSON, which is a part of it) and manifests of kind SlurmQos.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/tres.hpp"
#include "qosgate/spec/desired.hpp"
#include "qosgate/spec/problem.hpp"

#include <span>
#include <string>
#include <vector>

namespace qg::spec {

/// A file's name and text.
struct SourceText {
    std::string file;
    std::string text;
};

/// What was read, and all that is wrong. With problems, `desired` lacks what is wrong: it is good for
/// find_contradictions() only.
struct Loaded {
    Desired desired;
    std::vector<Problem> problems;
    /// Whether `desired` has all QOSs that the files name: the problems are about values only.
    bool has_all_qos = true;
};

/// Reads the files' texts; their order does not matter. TRES names are checked against `catalogue` if there
/// is one; a name that it lacks is a problem. Never throws.
Loaded load(std::span<const SourceText> files, const model::TresCatalogue* catalogue);

/// The files that the paths name: files, "-" for standard input, and of directories all *.yaml, *.yml, *.json
/// below them, sorted. Errors: not_found, unavailable, limit_exceeded (1,000 files, 4 MiB each, 64 MiB).
Result<std::vector<SourceText>> read_files(std::span<const std::string> paths);

} // namespace qg::spec
