// SPDX-License-Identifier: GPL-2.0-or-later
//
// ClusterSnapshot: what slurmctld shows of itself only over RPCs (partitions, a few lines of slurm.conf),
// fetched by a thread of ours and published whole. No submission ever waits for it.
//
//   ClusterSnapshot snapshot;
//   snapshot.start();                         // at the first submission: slurmctld is serving then
//   auto cluster = snapshot.current();        // null until the first answer, some milliseconds later
#pragma once

#include "qosgate/base/detached_thread.hpp"
#include "qosgate/model/cluster.hpp"

#include <atomic>
#include <chrono>
#include <memory>

namespace qg::plugin {

/// Threads: internally locked; start() and current() from any number of threads. Owns one
/// DetachedThread.
class ClusterSnapshot {
  public:
    ClusterSnapshot();
    ClusterSnapshot(const ClusterSnapshot&) = delete;
    ClusterSnapshot& operator=(const ClusterSnapshot&) = delete;

    /// Starts the thread, once; later calls cost nothing. A thread that cannot be had is logged, and
    /// current() stays null.
    void start() noexcept;

    /// The cluster as it was at most some seconds ago, or null while nothing is known.
    [[nodiscard]] std::shared_ptr<const model::Cluster> current() const;

    /// Asks the thread to end and waits for it, but not longer than `patience`: it may be inside an RPC that
    /// slurmctld answers only after our caller has returned. It then ends by itself and touches nothing of
    /// ours.
    void stop(std::chrono::milliseconds patience);

  private:
    struct Shared;

    std::shared_ptr<Shared> shared_; ///< with the thread
    DetachedThread thread_;
    std::atomic<bool> is_started_ = false;
};

} // namespace qg::plugin
