// SPDX-License-Identifier: GPL-2.0-or-later
//
// Default QOSs that their associations may not use any more: slurmdbd refuses to take an association's
// default QOS from it. A user may choose their own default, so that one gives way; an account's is a problem.
#pragma once

#include "qosgate/spec/access_tree.hpp"

#include <cstddef>
#include <optional>
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

/// The default QOS that replaces a user's own, which they could use `before` and may not use in `after`. An
/// empty name: they inherit the one of the account above. Empty: there is nothing to replace. `above` is as
/// it is afterwards, or nullptr.
std::optional<std::string> replaced_default(const model::AssociationRecord& before,
                                            const model::AssociationRecord& after,
                                            const model::AssociationRecord* above);

/// The same for a change that makes `after` of `next`: where a default is to be replaced, `change` and
/// `after` do that, and the sentence that says so is returned. A default that `change` sets stays.
std::optional<std::string> replace_default(const model::AssociationRecord& before,
                                           const model::AssociationRecord& next,
                                           const model::AssociationRecord* above, model::AccessChange& change,
                                           model::AssociationRecord& after);

} // namespace qg::spec
