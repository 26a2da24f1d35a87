// SPDX-License-Identifier: GPL-2.0-or-later
//
// ClusterSnapshot: data that slurmctld gives only over RPCs (partitions, a few settings of slurm.conf). A
// thread of the plugin fetches it and publishes it as a whole. No submission ever waits for it.
//
//   ClusterSnapshot snapshot;
//   snapshot.start();                         // in init(); the thread waits until slurmctld serves
//   const auto known = snapshot.current();    // in job_submit(): empty until the first answer
#pragma once

#include "qosgate/base/detached_thread.hpp"
#include "qosgate/model/cluster.hpp"

#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace qg::plugin {

/// What is known about the cluster at one moment.
struct ClusterNow {
    std::shared_ptr<const model::Cluster> cluster; ///< null: not known yet
    bool may_have_changed = false;                 ///< slurmctld may have changed its partitions since
    bool may_have_new_reservations = false;        ///< and may have made reservations since
    std::time_t confirmed_at = 0;                  ///< when slurmctld last told that this is what it has
};

/// Threads: current() from any number of threads. Owns one DetachedThread.
class ClusterSnapshot {
  public:
    ClusterSnapshot();
    ClusterSnapshot(const ClusterSnapshot&) = delete;
    ClusterSnapshot& operator=(const ClusterSnapshot&) = delete;

    /// Starts the thread, once. It sends no RPC before slurmctld has partitions and listens: this does not
    /// delay slurmctld's start, and a standby controller sends none at all. If the thread cannot be created,
    /// this is logged and the cluster stays unknown.
    void start() noexcept;

    /// What is known. If that is not enough, the thread reads again at once, and nobody waits for it. The
    /// caller holds slurmctld's lock on partitions.
    [[nodiscard]] ClusterNow current();

    /// What was read last; null: nothing yet. Asks for nothing. Threads: any.
    [[nodiscard]] std::shared_ptr<const model::Cluster> last_read() const;

    /// When the partitions were read last; empty: never.
    [[nodiscard]] std::optional<std::time_t> read_at() const;
    /// Tells whether slurmctld has answered a reading. It may outlive this object. Threads: any.
    [[nodiscard]] std::function<bool()> is_read() const;
    /// Whether this slurmctld has partitions or answers RPCs. A standby controller does neither.
    [[nodiscard]] bool is_at_work() const;
    /// Why they cannot be read now; empty: they can.
    [[nodiscard]] std::string last_error() const;

    /// Asks the thread to end and waits for it, but not longer than `patience`: it may be inside an RPC that
    /// slurmctld answers only after our caller has returned. The thread then ends by itself and uses none of
    /// this object's data.
    void stop(std::chrono::milliseconds patience);

  private:
    struct Shared;

    std::shared_ptr<Shared> shared_; ///< with the thread
    DetachedThread thread_;
};

} // namespace qg::plugin
