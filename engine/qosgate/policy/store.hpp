// SPDX-License-Identifier: GPL-2.0-or-later
//
// PolicyStore: keeps the policy of a running daemon current. A thread looks at the folder twice a second and
// swaps in a changed policy whole; one that does not load leaves in force what was in force before, also from
// one run of the daemon to the next. A file that hangs holds up that thread and nobody else.
//
//   PolicyStore store(write_log, {.kept_file = "/var/spool/slurmctld/qosgate_policy"});
//   store.start("/etc/slurm/qosgate.d");      // waits a moment for the first look
//   if (store.is_closed()) return refuse(store.status());
//   auto policy = store.current();            // one snapshot for one whole decision
#pragma once

#include "qosgate/base/detached_thread.hpp"
#include "qosgate/base/error.hpp"
#include "qosgate/base/log.hpp"
#include "qosgate/policy/policy.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace qg::policy {

/// What stands between the folder and the jobs.
enum class Standing : std::uint8_t {
    in_force, ///< the folder as it is now decides about jobs
    degraded, ///< it does not load, or is not read yet: what was in force before decides; see last_error
    closed,   ///< the same, and nothing was in force before: nobody knows the site's rules
};

/// Short stable name of a standing ("in force").
std::string_view to_string(Standing standing) noexcept;

/// What the store stands at.
struct StoreStatus {
    Standing standing = Standing::in_force;
    std::filesystem::path folder;
    bool is_reading = false;    ///< the first look at the folder is not over
    bool is_kept_copy = false;  ///< what is in force is a copy, of an earlier run or another controller, not
                                ///< read from the folder
    bool is_superseded = false; ///< decided about jobs, and then another process did: a standby again
    std::uint64_t generation = 0; ///< of the policy in force; 1 is the first one loaded, 0 none was
    std::uint64_t hash = 0;       ///< of the policy in force; 0: there is no folder
    std::size_t rules = 0;        ///< in force
    /// When the policy in force came into force in this process.
    std::optional<std::chrono::system_clock::time_point> loaded_at;
    std::optional<Error> last_error; ///< why the folder as it is now is not in force; nothing: it is
    std::optional<Error> keep_error; ///< why a restart would not find what is in force; nothing: it would
    std::uint64_t failed_loads = 0;  ///< distinct broken contents met since start()
    std::uint64_t failed_looks = 0;  ///< looks that memory was too short for
};

/// How a store works; the defaults are those of the plugin, but for kept_file.
struct StoreOptions {
    /// How often the folder is looked at. A change is in force after at most four looks.
    std::chrono::milliseconds poll_interval{400};
    /// How long start() waits for the first look.
    std::chrono::milliseconds start_patience{1000};
    /// Where what is in force is kept for the next run; empty: it is not kept.
    std::filesystem::path kept_file = {};
    /// Who, besides root, may own the files; nothing: the effective user.
    std::optional<uid_t> trusted_user = {};
    std::function<Result<SourceFolder>(const std::filesystem::path& folder, uid_t trusted_user)> read =
        &read_source_folder;
};

class PolicyWatch;

/// Threads: internally locked. Owns one DetachedThread.
class PolicyStore {
  public:
    static constexpr std::chrono::milliseconds default_stop_patience{200};

    /// `log` gets the store's lines, never two at once, from its thread and from the callers of start() and
    /// refresh(). It must not call back into the store.
    explicit PolicyStore(LogSink log, StoreOptions options = {});
    PolicyStore(const PolicyStore&) = delete;
    PolicyStore& operator=(const PolicyStore&) = delete;
    /// As stop() with the default patience.
    ~PolicyStore();

    /// Begins to look at the folder, and waits for the first look, but not longer than start_patience: until
    /// it is over, what was kept is in force, or the store is closed. So it stays for a folder whose path is
    /// not absolute: it is not known then, and not read. Calling it again is a bug. Errors:
    /// throws std::system_error where no thread can be had; the store is closed then.
    void start(std::filesystem::path folder);

    /// Asks the thread to end and waits for it, but not longer than `patience`. What was loaded stays in
    /// force; a thread that hangs logs and keeps nothing any more. May be called any number of times.
    void stop(std::chrono::milliseconds patience = default_stop_patience);

    /// Looks at the folder's contents now, from the calling thread. Cost: blocking reads.
    void refresh();

    /// Tells the store that this process decides about jobs. From then on it keeps what is in force for the
    /// next run; before, it may be a standby, which must not write over what the active controller keeps. It
    /// is one again when another process keeps its policy, until the next call.
    /// Cost: the first call wakes the thread, later ones cost nothing.
    void mark_active();

    /// Whether nobody knows the site's rules; see status() for why. Cost: a look at a flag.
    [[nodiscard]] bool is_closed() const noexcept;

    /// The policy in force; never null, Policy::none() before start() and while the store is closed.
    [[nodiscard]] std::shared_ptr<const Policy> current() const;

    [[nodiscard]] StoreStatus status() const;

  private:
    std::shared_ptr<PolicyWatch> watch_; ///< with the thread
    DetachedThread thread_;
};

} // namespace qg::policy
