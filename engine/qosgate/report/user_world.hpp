// SPDX-License-Identifier: GPL-2.0-or-later
//
// UserWorld: the limits, usage and partitions that a user may see, for commands that show them.
#pragma once

#include "qosgate/model/cluster.hpp"
#include "qosgate/quota/local_quota.hpp"
#include "qosgate/quota/scenario.hpp"

#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <string>

namespace qg::report {

/// Whose jobs or limits a command is about.
struct JobUser {
    std::uint32_t id = 0;
    std::string name; ///< empty: this host does not know the user
    bool is_named = false;
};

struct UserWorld {
    std::shared_ptr<const model::Cluster> cluster;       ///< never null
    std::unique_ptr<const quota::LocalQuota> accounting; ///< never null
    std::map<std::string, std::uint32_t> users;          ///< ids by name
    std::time_t now = 0;                                 ///< when it was like this

    /// Whether the partitions are known. PrivateData may hide them, or the nodes.
    [[nodiscard]] bool knows_partitions() const { return !cluster->partitions.all().empty(); }
    /// The name of a user; the number if accounting does not know the user.
    [[nodiscard]] std::string name_of(std::uint32_t user_id) const;
};

/// A world that was read, as commands that show it take it.
UserWorld make_user_world(quota::World world);

} // namespace qg::report
