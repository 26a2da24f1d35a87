// SPDX-License-Identifier: GPL-2.0-or-later
//
// JobWorld: what slurmctld tells a user about the things that decide about one job.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/slurm/user_quota.hpp"

#include <slurm/slurm.h>

#include <cstdint>
#include <memory>
#include <string>

namespace qg::slurm {

struct JobWorld {
    JobWorld(const slurm_conf_t& conf, const std::string& user) : accounting(conf, user) {}

    std::shared_ptr<const model::Cluster> cluster; ///< never null after read_job_world()
    UserQuota accounting;
};

/// Whether reservations and licenses are asked for.
enum class WorldNames : std::uint8_t { left_out, read };

/// Asks for it, all at once, on threads that have ended on return. `conf` is slurm.conf as this process has
/// it. Of QOSs and associations it asks for those that are likely to be needed: `accounting` asks for others
/// when somebody needs them. Errors: unavailable, with Slurm's error text. Cost: three RPCs, with names five;
/// each waits up to MessageTimeout.
Result<std::unique_ptr<JobWorld>> read_job_world(const slurm_conf_t& conf, const std::string& user,
                                                 WorldNames names, RecordsPart likely = {});

} // namespace qg::slurm
