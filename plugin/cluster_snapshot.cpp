// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_snapshot.hpp"

#include "host_log.hpp"
#include "qosgate/base/published.hpp"
#include "qosgate/base/scope_exit.hpp"
#include "qosgate/slurm/cluster_reader.hpp"

#include <condition_variable>
#include <csignal>
#include <exception>
#include <string>
#include <thread>

#include <pthread.h>

namespace qg::plugin {
namespace {

// A partition or limit of a partition changed with scontrol is seen after this long. While nothing changes a
// look costs slurmctld two empty answers.
constexpr std::chrono::seconds poll_interval{2};

// slurmctld's own threads have all signals blocked too, but for the one that waits for them.
class BlockedSignals {
  public:
    BlockedSignals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

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
    std::mutex mutex;
    std::condition_variable changed;
    bool is_stopping = false; ///< guarded by mutex
    bool is_running = false;  ///< guarded by mutex

    void run();
    [[nodiscard]] bool wait_for_next_look();
};

bool ClusterSnapshot::Shared::wait_for_next_look() {
    std::unique_lock lock(mutex);
    return !changed.wait_for(lock, poll_interval, [this] { return is_stopping; });
}

void ClusterSnapshot::Shared::run() {
    const ScopeExit on_exit([this] {
        const std::scoped_lock lock(mutex);
        is_running = false;
        changed.notify_all();
    });
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
    } while (wait_for_next_look());
}

ClusterSnapshot::ClusterSnapshot() : shared_(std::make_shared<Shared>()) {}

ClusterSnapshot::~ClusterSnapshot() {
    stop(std::chrono::milliseconds(0));
}

void ClusterSnapshot::start() noexcept {
    if (is_started_.load() || is_started_.exchange(true)) return;
    const BlockedSignals blocked;
    try {
        shared_->is_running = true;
        std::thread([shared = shared_] { shared->run(); }).detach();
    } catch (const std::exception& error) {
        shared_->is_running = false;
        log_error((std::string("cluster data: no thread: ") + error.what()).c_str());
    }
}

std::shared_ptr<const model::Cluster> ClusterSnapshot::current() const {
    return shared_->cluster.get();
}

void ClusterSnapshot::stop(std::chrono::milliseconds patience) {
    std::unique_lock lock(shared_->mutex);
    shared_->is_stopping = true;
    shared_->changed.notify_all();
    shared_->changed.wait_for(lock, patience, [this] { return !shared_->is_running; });
}

} // namespace qg::plugin
