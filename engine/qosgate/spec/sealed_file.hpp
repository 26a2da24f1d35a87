// SPDX-License-Identifier: GPL-2.0-or-later
//
// SealedFile: the frame of the JSON files that this program writes and reads again: what it is, its version,
// its cluster, and a sum over the contents, so that changes by hand are noticed.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/spec/strict_json.hpp"

#include <string>
#include <string_view>

namespace qg::spec {

struct SealedFile {
    std::string format; ///< "qosgate-plan"
    std::uint64_t version = 0;
    std::string cluster;
    std::string key; ///< the name of the contents
    Json contents;
};

/// The file's text, indented for people.
std::string seal(const SealedFile& file);

/// The contents of a file of `expected.format`, `version` and `key`; of `expected.cluster` unless that is
/// empty. Errors: as plan_from_text().
Result<SealedFile> unseal(std::string_view text, const SealedFile& expected);

} // namespace qg::spec
