// SPDX-License-Identifier: GPL-2.0-or-later
//
// PolicyStore: keeps the policy of a running daemon current. A thread checks the directory twice a second and
// replaces a changed policy as a whole. If a policy does not load, or one of its tests fails, the old one
// stays in force, also across restarts of the daemon. A file that hangs, and tests that take long, delay only
// that thread.
//
//   PolicyStore store(write_log, {.kept_file = "/var/spool/slurmctld/qosgate_policy"});
//   store.start("/etc/slurm/qosgate.d");      // waits a moment for the first check
//   if (store.is_closed()) return refuse(store.status());
//   auto policy = store.current();            // one snapshot for one whole decision
#pragma once

#include "qosgate/base/detached_thread.hpp"
#include "qosgate/base/error.hpp"
#include "qosgate/base/log.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/policy/policy_tests.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace qg::policy {

/// Which policy decides about jobs.
enum class Standing : std::uint8_t {
    in_force, ///< the directory's present policy is in force
    degraded, ///< it does not load, a test of it fails, or it is not read yet: the previous policy is in
              ///< force; see last_error
    closed,   ///< the same, without a previous policy: the site's rules are not known
};

/// Short stable name of a standing ("in force").
std::string_view to_string(Standing standing) noexcept;

/// The state of the candidate.
struct CandidateStatus {
    bool exists = false;     ///< there is a directory `next`
    bool is_testing = false; ///< its tests are running
    std::uint64_t hash = 0;  ///< of the loaded one; 0: none is loaded
    std::size_t rules = 0;
    bool has_script = false; ///< for job_submit/lua
    std::optional<std::chrono::system_clock::time_point> loaded_at = {};
    std::optional<Error> last_error = {}; ///< why the directory is not loaded; empty: it is
};

/// The controller that decided about jobs before this one, with other rules.
struct TakenOver {
    std::string host;
    std::uint64_t policy = 0; ///< the hash of its policy
};

/// The state of the store.
struct StoreStatus {
    Standing standing = Standing::in_force;
    std::filesystem::path directory;
    bool is_reading = false;      ///< the first check of the directory is not over
    bool is_testing = false;      ///< tests are running
    bool is_kept_copy = false;    ///< the policy in force is a copy from an earlier run or another controller
    bool is_superseded = false;   ///< another process decides about jobs now: a standby again
    std::uint64_t generation = 0; ///< of the policy in force; 1 is the first one loaded, 0 none was
    std::uint64_t hash = 0;       ///< of the policy in force; 0: there is no directory
    std::size_t rules = 0;        ///< in force
    /// When the policy in force came into force in this process.
    std::optional<std::chrono::system_clock::time_point> loaded_at;
    std::optional<Error> last_error; ///< why the directory's present policy is not in force; empty: it is
    std::optional<Error> keep_error; ///< why a restart would not find the policy in force; empty: it would
    /// Until the rules here change. Empty: this controller decided before, or one with the same rules, or
    /// that is not known.
    std::optional<TakenOver> taken_over;
    CandidateStatus candidate; ///< the directory `next`
};

/// How a store works; the defaults are those of the plugin, except kept_file.
struct StoreOptions {
    /// The time between two checks of the directory. A change is in force after at most four checks.
    std::chrono::milliseconds poll_interval{400};
    /// How long start() waits for the first check.
    std::chrono::milliseconds start_patience{1000};
    /// The file for the kept copy of the policy in force; empty: no copy is kept.
    std::filesystem::path kept_file = {};
    /// This controller's host, for the kept copy; empty: there is no other controller.
    std::string host = {};
    /// Who, besides root, may own the files; empty: the effective user.
    std::optional<uid_t> trusted_user = {};
    /// What a script for job_submit/lua reads as slurm.CLUSTER_NAME.
    std::string cluster_name = "cluster";
    /// Gets the lines that the script for job_submit/lua wrote while it was loaded, when its policy comes
    /// into force; `level` is that of ScriptLine.
    std::function<void(int level, const std::string& line)> log_of_script = {};
    /// How long the tests of a directory may take, and what makes their clusters; needed if there are tests.
    std::chrono::milliseconds max_test_time = TestRun().max_time;
    std::function<std::unique_ptr<TestWorld>()> make_world = {};
    std::function<Result<SourceDirectory>(const std::filesystem::path& directory, uid_t trusted_user)> read =
        &read_source_directory;
};

class CandidateWatch;
class PolicyWatch;

/// Threads: internally locked. Owns two DetachedThreads.
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

    /// Starts to check the directory, and waits for the first check, but not longer than start_patience.
    /// Until that check is over the kept copy is in force, or the store is closed. This stays so if the
    /// directory's path is not absolute: such a directory is not read. Calling it again is a bug. Errors:
    /// throws std::system_error if no thread can be created; the store is then closed.
    void start(std::filesystem::path directory);

    /// Asks the thread to end and waits for it, but not longer than `patience`. The loaded policy stays in
    /// force; a thread that hangs will neither log nor write the kept copy. May be called any number of
    /// times.
    void stop(std::chrono::milliseconds patience = default_stop_patience);

    /// Reads the directory now, in the calling thread. Cost: blocking reads.
    void refresh();

    /// Tells the store that this process decides about jobs. From then on it writes the kept copy for the
    /// next run. Before that it may be a standby, which must not overwrite the active controller's copy. It
    /// becomes a standby again when another process writes the copy, until the next call.
    /// Cost: the first call wakes the thread, later ones cost nothing.
    void mark_active();

    /// Whether the site's rules are not known; status() says why. Cost: reads a flag.
    [[nodiscard]] bool is_closed() const noexcept;

    /// The policy in force; never null, Policy::none() before start() and while the store is closed.
    [[nodiscard]] std::shared_ptr<const Policy> current() const;

    /// The candidate that decisions are compared with; null: there is none. It never decides. Cost: without
    /// one, reads two pointers.
    [[nodiscard]] std::shared_ptr<const Policy> candidate() const;

    [[nodiscard]] StoreStatus status() const;

  private:
    std::shared_ptr<PolicyWatch> watch_; ///< with the thread
    DetachedThread thread_;
    std::shared_ptr<CandidateWatch> candidate_; ///< with its thread; null before start()
    DetachedThread candidate_thread_; ///< its tests, or a file that hangs, do not delay the policy's thread
};

} // namespace qg::policy
