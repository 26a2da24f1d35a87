// SPDX-License-Identifier: GPL-2.0-or-later
//
// find_unusable_defaults: slurmdbd refuses to take an association's default QOS from it.
#pragma once

#include "qosgate/spec/access_tree.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace qg::spec {

/// Why an association cannot have its default QOS.
struct UnusableDefault {
    std::size_t association; ///< its place in the tree
    std::string qos;
    std::string text;
};

/// Associations that could not use their default QOS afterwards, and could before. `after` has the
/// order of `before`; `removed` are QOSs that do not exist afterwards. What all below inherit is said once.
std::vector<UnusableDefault> find_unusable_defaults(const AccessTree& before,
                                                    std::span<const model::AssociationRecord> after,
                                                    const model::NameSet& removed);

} // namespace qg::spec
