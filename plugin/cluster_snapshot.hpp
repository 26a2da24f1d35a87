// SPDX-License-Identifier: GPL-2.0-or-later
//
// ClusterSnapshot: what slurmctld shows of itself only over RPCs (partitions, a few lines of slurm.conf),
// fetched by a thread of ours and published whole. No submission ever waits for it.
//
//   ClusterSnapshot snapshot;
//   snapshot.start();                         // in init(); the thread waits until slurmctld serves
//   const auto known = snapshot.current();    // in job_submit(): nothing until the first answer
#pragma once

#include "qosgate/base/detached_thread.hpp"
#include "qosgate/model/cluster.hpp"

#include <chrono>
#include <ctime>
#include <memory>
#include <optional>
#include <string>

namespace qg::plugin {

/// What is known of the cluster at one moment.
struct ClusterNow {
    std::shared_ptr<const model::Cluster> cluster; ///< null: nothing yet
    bool may_have_changed = false;                 ///< slurmctld may have changed its partitions since
};

/// Threads: current() from any number of threads. Owns one DetachedThread.
class ClusterSnapshot {
  public:
    ClusterSnapshot();
    ClusterSnapshot(const ClusterSnapshot&) = delete;
    ClusterSnapshot& operator=(const ClusterSnapshot&) = delete;

    /// Starts the thread, once. It asks nothing before slurmctld has partitions and listens, so that a start
    /// is not held up and a standby controller asks nobody. A thread that cannot be had is logged, and
    /// nothing is ever known.
    void start() noexcept;

    /// What is known. Where that is not enough the thread asks anew at once; nobody waits for it. The caller
    /// has slurmctld's lock on partitions.
    [[nodiscard]] ClusterNow current();

    /// When the partitions were read last; nothing: never.
    [[nodiscard]] std::optional<std::time_t> read_at() const;
    /// Whether this slurmctld has partitions or answers: a standby controller does neither.
    [[nodiscard]] bool is_at_work() const;
    /// Why they cannot be read now; empty: they can.
    [[nodiscard]] std::string last_error() const;

    /// Asks the thread to end and waits for it, but not longer than `patience`: it may be inside an RPC that
    /// slurmctld answers only after our caller has returned. It then ends by itself and touches nothing of
    /// ours.
    void stop(std::chrono::milliseconds patience);

  private:
    struct Shared;

    std::shared_ptr<Shared> shared_; ///< with the thread
    DetachedThread thread_;
};

} // namespace qg::plugin
