// SPDX-License-Identifier: GPL-2.0-or-later
//
// The nodes that a request names: --nodelist, --exclude.
#pragma once

#include "qosgate/model/job_request.hpp"
#include "qosgate/model/known_names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::gate {

/// The nodes that a list names.
struct KnownNodes {
    std::vector<std::uint32_t> indices; ///< sorted, each once
    std::optional<std::string> unknown; ///< the first name that no node has
    bool is_whole = true;               ///< all names were looked up
};

/// The nodes that a job must have, and those that it must not.
struct NamedNodes {
    KnownNodes required;
    KnownNodes excluded;
};

/// Looks up the nodes that a request names. Without known nodes it finds none, and no unknown name.
/// Cost: a binary search for each of the first 128 names of both lists.
NamedNodes look_up_named_nodes(const model::JobRequest& request,
                               const std::optional<model::KnownNames>& known);

} // namespace qg::gate
