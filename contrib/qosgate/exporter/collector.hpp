// SPDX-License-Identifier: GPL-2.0-or-later
//
// Collector: a thread that reads the cluster at an interval and publishes the answers. Whoever asks gets the
// last ones; nobody's request reaches slurmctld.
#pragma once

#include "exporter_metrics.hpp"
#include "exporter_page.hpp"

#include "qosgate/base/detached_thread.hpp"
#include "qosgate/base/result.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace qg::cli {

struct CollectorOptions {
    std::chrono::seconds interval{15};
    std::size_t max_users = 0;
    PageOptions page = {};
};

/// Where the collector reads from; called on its thread, may block.
struct CollectorSource {
    std::function<Result<std::shared_ptr<const ClusterState>>()> read_cluster;
    std::function<Result<GateReport>()> read_gate;
    /// Told once when the cluster cannot be read any more, and once when it can again; empty: no error.
    std::function<void(const std::string& problem)> note;
};

/// Threads: metrics() and page() from any.
class Collector {
  public:
    Collector(CollectorSource source, CollectorOptions options);
    Collector(const Collector&) = delete;
    Collector& operator=(const Collector&) = delete;

    /// Errors: throws std::system_error if no thread can be created.
    void start();
    /// Whether the thread has ended; if it hangs in an RPC, it has not.
    bool stop(std::chrono::milliseconds patience);

    /// The answers as they were read last. After a failure, or if a reading takes longer than three
    /// intervals, they say that the cluster cannot be read, and repeat nothing of what was known. Either
    /// counts as a failure at once.
    [[nodiscard]] std::shared_ptr<const std::string> metrics() const;
    [[nodiscard]] std::shared_ptr<const std::string> page() const;

  private:
    class Shared;
    std::shared_ptr<Shared> shared_; ///< with the thread
    DetachedThread thread_;
};

} // namespace qg::cli
