// SPDX-License-Identifier: GPL-2.0-or-later
//
// PolicyStore: keeps the policy of a running daemon current. A thread looks at the folder twice a second and
// swaps in a changed policy whole; one that does not load leaves the last good one in force.
//
//   PolicyStore store([](LogLevel level, std::string text) { ... });
//   store.start("/etc/slurm/qosgate.d");      // loads once, then watches
//   auto policy = store.current();            // one snapshot for one whole decision
#pragma once

#include "qosgate/base/error.hpp"
#include "qosgate/base/log.hpp"
#include "qosgate/base/published.hpp"
#include "qosgate/policy/policy.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace qg::policy {

/// What the store stands at.
struct StoreStatus {
    std::uint64_t generation = 0;    ///< of the policy in force; 1 is the first one loaded
    std::uint64_t hash = 0;          ///< of the policy in force
    std::optional<Error> last_error; ///< why the folder as it is now is not in force; nothing: it is
    std::uint64_t failed_loads = 0;  ///< distinct broken contents met since start()
    std::uint64_t failed_looks = 0;  ///< looks that memory was too short for
};

/// Threads: internally locked. Ownership: the destructor stops the thread; a holder that outlives main() (the
/// plugin inside slurmctld) never destroys it, which is safe too.
class PolicyStore {
  public:
    /// How often the folder is looked at. A change is in force after at most four looks.
    static constexpr std::chrono::milliseconds default_poll_interval{400};

    explicit PolicyStore(LogSink log, std::chrono::milliseconds poll_interval = default_poll_interval,
                         LoadOptions options = {});
    PolicyStore(const PolicyStore&) = delete;
    PolicyStore& operator=(const PolicyStore&) = delete;
    ~PolicyStore();

    /// Loads the folder, then watches it from a thread of its own with all signals blocked. A folder that
    /// does not load leaves Policy::none() in force and its error in status(). Calling it again is a bug.
    void start(std::filesystem::path folder);

    /// Ends the thread and waits for it; what was loaded stays in force. May be called any number of times.
    void stop();

    /// Looks at the folder's contents now, from the calling thread. Cost: blocking reads.
    void refresh();

    /// The policy in force; never null, Policy::none() before start().
    [[nodiscard]] std::shared_ptr<const Policy> current() const;

    [[nodiscard]] StoreStatus status() const;

  private:
    class Watch;
    void run();
    void look() noexcept;
    void read_folder();
    void put_in_force(const std::shared_ptr<const Policy>& policy);
    void keep_last_good(const Error& error, std::uint64_t hash);
    void return_to_last_good();

    std::unique_ptr<Watch> watch_; ///< what the folder looked like last; guarded by look_mutex_
    std::chrono::milliseconds poll_interval_;
    Published<Policy> published_;

    std::mutex look_mutex_; ///< one look at a time
    mutable std::mutex status_mutex_;
    StoreStatus status_; ///< guarded by status_mutex_

    std::mutex stop_mutex_;
    std::condition_variable stop_asked_;
    bool stopping_ = false; ///< guarded by stop_mutex_
    std::thread thread_;
};

} // namespace qg::policy
