// SPDX-License-Identifier: GPL-2.0-or-later
//
// ClusterSource: reads the cluster for the exporter.
#pragma once

#include "cluster_state.hpp"

#include "qosgate/base/result.hpp"
#include "qosgate/slurm/cluster_quota.hpp"
#include "qosgate/slurmdb/slurm_conf.hpp"

#include <memory>
#include <utility>

namespace qg::cli {

/// Threads: not thread-safe.
class ClusterSource {
  public:
    /// Slurm's library must have been started with this configuration.
    explicit ClusterSource(slurmdb::SlurmConf conf) : conf_(std::move(conf)) {}

    /// The cluster at this moment. Errors: unavailable, with Slurm's error text. Cost: five RPCs, blocking,
    /// up to MessageTimeout each.
    Result<std::shared_ptr<const ClusterState>> read();

  private:
    slurmdb::SlurmConf conf_;
    slurm::ClusterQuota accounting_;
};

} // namespace qg::cli
