// SPDX-License-Identifier: GPL-2.0-or-later
//
// Scenario: limits, usage and one job in a JSON object (the schema is described in contrib/doc/eval.md).
#pragma once

#include "qosgate/model/cluster.hpp"
#include "qosgate/quota/local_quota.hpp"

#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::quota {

struct Scenario {
    std::string id;
    model::AccountView view;
    model::ResolvedJob job;
};

/// Limits, usage and partitions, without a job.
struct World {
    LocalRecords records;
    std::vector<std::shared_ptr<const model::Partition>> partitions;
    model::Cluster cluster;                  ///< without its partitions
    std::optional<UserRecord> job_user = {}; ///< of the job that is judged, whoever that is
    std::time_t captured_at = 0;             ///< 0: it was written by hand
};

/// The cluster of a world, with its partitions. The first one is the default if none says so.
model::Cluster make_cluster(const World& world);

/// Makes `job_user` the record of this user.
void set_job_user(World& world, std::uint32_t user_id);

/// Reads the keys of a scenario that are not about its job. Associations without `parent` are one chain, user
/// first. `otherwise` is what the world has where the text says nothing. Errors: as parse_scenario.
Result<World> parse_world(std::string_view json, World otherwise = {});

/// Reads one scenario. Errors: invalid_input, naming the key by its path ("job.tres.gpus") and what is
/// allowed there; unknown keys are errors too.
Result<Scenario> parse_scenario(std::string_view json);

} // namespace qg::quota
