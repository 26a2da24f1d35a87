// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reading a cluster over slurmctld's public RPCs.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/cluster.hpp"

#include <slurm/slurm.h>

#include <chrono>
#include <ctime>
#include <memory>

namespace qg::slurm {

/// Fetches the cluster when it has changed.
/// Threads: not thread-safe. Never from within job_submit(): slurmctld may wait there for what the RPC needs.
class ClusterReader {
  public:
    /// Slurm does not tell usefully when nodes change (every job start counts as a change), so everything is
    /// fetched again after this time.
    static constexpr std::chrono::seconds full_interval{60};

    /// The cluster; null if it has not changed since the last call. Errors: unavailable, with Slurm's error
    /// text.
    /// Cost: four RPCs without payload while nothing changed; blocking, up to MessageTimeout each. Licenses
    /// count as changed when a job takes some; then only they are fetched.
    Result<std::shared_ptr<const model::Cluster>> poll();

    /// The cluster, whether it has changed or not. Errors: the same. Cost: five RPCs, blocking likewise.
    Result<std::shared_ptr<const model::Cluster>> read();

  private:
    [[nodiscard]] Result<bool> has_changed();
    [[nodiscard]] Result<std::shared_ptr<const model::Cluster>> poll_names();
    std::shared_ptr<const model::Cluster> publish(model::Cluster cluster,
                                                  const reserve_info_msg_t* reservations,
                                                  const license_info_msg_t* licenses);

    std::time_t partitions_seen_ = 0;
    std::time_t conf_seen_ = 0;
    std::time_t reservations_seen_ = 0;
    std::time_t licenses_seen_ = 0;
    std::shared_ptr<const model::Cluster> last_; ///< as returned last
    std::chrono::steady_clock::time_point full_read_at_;
};

} // namespace qg::slurm
