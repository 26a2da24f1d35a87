// SPDX-License-Identifier: GPL-2.0-or-later
//
// JudgedWorld: the partitions, limits and usage that jobs are tried against.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/quota/local_quota.hpp"
#include "qosgate/quota/provider.hpp"
#include "qosgate/quota/scenario.hpp"
#include "qosgate/quota/user_groups.hpp"
#include "qosgate/report/user_world.hpp"

#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <string>

namespace qg::cli {

struct JudgedWorld {
    std::shared_ptr<const model::Cluster> cluster;          ///< never null
    std::unique_ptr<const quota::QuotaProvider> accounting; ///< never null
    std::time_t now = 0;                                    ///< when it was like this
    std::map<std::string, std::uint32_t> users = {};        ///< ids by name, as a file has them
    std::unique_ptr<const quota::UserGroups> groups;        ///< never null
    bool is_live = false; ///< slurmctld has told it, and can be asked for more
};

/// What slurmctld tells this user about the cluster at this moment. It starts Slurm's library. Errors:
/// unavailable, with Slurm's error text. Cost: seven RPCs; each waits up to MessageTimeout.
Result<JudgedWorld> read_live_world();

/// What a caller has to see of the cluster.
enum class ClusterNeed : std::uint8_t {
    required,
    unless_hidden, ///< without partitions if PrivateData hides nodes or partitions from the caller
};

/// The same as a world that can be written, without the groups of users.
Result<quota::World> capture_world(ClusterNeed need = ClusterNeed::required);

/// Where the groups of users come from.
enum class GroupSource : std::uint8_t {
    world,
    directory, ///< of this host, at the moment when a rule reads them
};

/// A world to judge by.
JudgedWorld make_judged(quota::World world, GroupSource groups = GroupSource::world,
                        quota::LocalViews views = quota::LocalViews::whole);

/// A world that was written to a file, as it is there / to judge by. Errors: unavailable if it cannot be
/// read, invalid_input for one that 'qosgate capture' did not write.
Result<quota::World> read_world_file(const std::string& file);
Result<JudgedWorld> read_captured_world(const std::string& file);

/// The world of a file of `qosgate capture`, or without a file name what slurmctld tells the caller now.
/// Errors: those of read_world_file() and capture_world(). Cost: seven RPCs; each waits up to MessageTimeout.
Result<report::UserWorld> read_user_world(const std::string& file = {});

} // namespace qg::cli
