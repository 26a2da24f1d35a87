// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_snapshot.hpp"

#include "host_log.hpp"
#include "qosgate/base/published.hpp"
#include "qosgate/slurm/cluster_reader.hpp"

#include <exception>
#include <string>
#include <utility>

namespace qg::plugin {
namespace {

// A partition or limit of a partition changed with scontrol is seen after this long. While nothing changes a
// look costs slurmctld two empty answers.
constexpr std::chrono::seconds poll_interval{2};

/// Logs the first failure of a row of failures, and its end.
class FailureLog {
  public:
    void failed(const std::string& message) {
        if (!is_failing_) log_error(("cluster data: " + message + "; trying again").c_str());
        is_failing_ = true;
    }
    void succeeded() {
        if (is_failing_) log_info("cluster data: available again");
        is_failing_ = false;
    }

  private:
    bool is_failing_ = false;
};

} // namespace

struct ClusterSnapshot::Shared {
    Published<model::Cluster> cluster;

    void run(DetachedThread::Link& owner);
};

void ClusterSnapshot::Shared::run(DetachedThread::Link& owner) {
    slurm::ClusterReader reader;
    FailureLog failures;
    do {
        try {
            if (auto fresh = reader.poll(); !fresh) {
                failures.failed(fresh.error().message);
            } else {
                failures.succeeded();
                if (*fresh != nullptr) cluster.publish(std::move(*fresh));
            }
        } catch (const std::exception& error) {
            failures.failed(error.what());
        }
    } while (owner.wait_for(poll_interval));
}

ClusterSnapshot::ClusterSnapshot() : shared_(std::make_shared<Shared>()) {}

void ClusterSnapshot::start() noexcept {
    if (is_started_.load() || is_started_.exchange(true)) return;
    try {
        thread_.start("qosgate-cluster",
                      [shared = shared_](DetachedThread::Link& owner) { shared->run(owner); });
    } catch (const std::exception& error) {
        log_error((std::string("cluster data: no thread: ") + error.what()).c_str());
    }
}

std::shared_ptr<const model::Cluster> ClusterSnapshot::current() const {
    return shared_->cluster.get();
}

void ClusterSnapshot::stop(std::chrono::milliseconds patience) {
    thread_.stop(patience);
}

} // namespace qg::plugin
