// SPDX-License-Identifier: GPL-2.0-or-later
//
// PolicyWatch: the data that PolicyStore and its thread share: the directory's last state, the policy in
// force, and the result of each check.
#pragma once

#include "qosgate/base/published.hpp"
#include "qosgate/policy/files/reading_times.hpp"
#include "qosgate/policy/store.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>

namespace qg::policy {

/// Threads: internally locked; one check at a time.
class PolicyWatch {
  public:
    PolicyWatch(LogSink log, StoreOptions options);

    /// Closes the store until a policy is in force. Called once, before the first check.
    void begin(std::filesystem::path directory);

    /// Puts the kept copy in force, then the directory's policy.
    void first_check() noexcept;
    void check() noexcept;
    void refresh();

    /// Whether the first check ended within `patience`.
    bool wait_for_first_check(std::chrono::milliseconds patience);
    /// Logs that it did not, and why.
    void report_delay();

    /// Whether this call was the first one.
    bool mark_active() noexcept { return !is_active_.load() && !is_active_.exchange(true); }
    /// Ends running tests, and keeps others from being run.
    void cancel_tests() noexcept { is_ending_ = true; }
    /// The owner is destroyed: a thread that still hangs will neither log nor write the kept copy.
    void abandon();

    [[nodiscard]] bool is_closed() const noexcept { return is_closed_.load(std::memory_order_acquire); }
    [[nodiscard]] std::shared_ptr<const Policy> current() const { return published_.get(); }
    [[nodiscard]] StoreStatus status() const;
    [[nodiscard]] const StoreOptions& options() const noexcept { return options_; }
    /// Writes a line, unless the owner is destroyed.
    void log(LogLevel level, const std::string& text);
    /// The same for the lines of its script's load.
    void log_load(const Policy& policy);

  private:
    /// The source of the policy in force.
    enum class Basis : std::uint8_t { nothing, kept_copy, directory };

    /// What is in the directory.
    struct Content {
        std::uint64_t policy; ///< the hash of the policy
        std::uint64_t tests;  ///< the hash of its tests
        friend bool operator==(const Content&, const Content&) = default;
    };
    /// Files that do not load, or do not pass their tests, and why.
    struct Broken {
        Content content;
        Error error;
    };

    template <typename Work>
    void guarded_check(Work work) noexcept;
    void end_first_check();
    void read_directory();
    /// Compiles a policy and runs its tests. Errors: as compile_policy, and invalid_input for a test that
    /// fails. Empty: the tests were cancelled.
    std::optional<Result<std::shared_ptr<const Policy>>> load(const SourceDirectory& sources,
                                                              std::uint64_t generation);
    Result<void> test(const Policy& policy, std::span<const SourceFile> tests);
    /// Whether another process has written the kept copy since the last check: its stamp is then later. If
    /// this process wrote it last before, this process no longer decides about jobs, until the next job
    /// comes. If the copy is missing, damaged or older than before, no process has written it: the active one
    /// writes its policy again.
    bool notice_keeper();
    void adopt_kept_copy();
    /// Puts the kept copy in force; if it cannot be used, nothing changes.
    void take_kept_copy();
    void report_kept_copy(const Error& error);
    void put_in_force(const std::shared_ptr<const Policy>& policy, Basis basis);
    void confirm();
    void stay(const Error& error, const Content& content = {});
    /// Writes what the next start must know: the policy in force, or that there is one that never loaded.
    void keep();
    /// Writes it in any case.
    Result<void> write_kept_copy();
    /// The controller that decided until now, if it had other rules; empty: it had not, or it is not known.
    [[nodiscard]] std::optional<TakenOver> find_taken_over() const;
    void report_taken_over(const TakenOver& before);
    [[nodiscard]] bool is_kept() const noexcept;
    /// The stamp for the next kept copy: later than any stamp seen.
    [[nodiscard]] std::uint64_t next_stamp() const;
    void set_standing(Basis basis, const std::optional<Error>& error);
    [[nodiscard]] std::uint64_t hash_in_force() const noexcept;
    [[nodiscard]] std::string describe_in_force() const;

    const StoreOptions options_;
    Published<Policy> published_;
    std::atomic<bool> is_closed_ = false;
    std::atomic<bool> is_active_ = false;
    std::atomic<bool> was_active_ = false; ///< until another process kept its policy
    std::atomic<bool> is_ending_ = false;

    std::mutex check_mutex_; ///< guards from here to the next mutex
    std::filesystem::path directory_;
    ReadingTimes times_;
    bool has_seen_directory_ = false;        ///< in this process
    std::shared_ptr<const Policy> in_force_; ///< null: nothing
    Basis basis_ = Basis::nothing;
    std::optional<std::uint64_t> kept_hash_; ///< of the kept copy; empty: not known
    bool kept_is_unusable_ = false;          ///< a copy exists, but its content is not known
    bool kept_never_loaded_ = false;         ///< it says that there were rules that never loaded
    bool is_kept_by_us_ = false;             ///< and no other process has kept one since
    std::optional<TakenOver> keeper_;        ///< who wrote the kept copy, as far as it says so
    bool another_keeps_ = false;       ///< another process, since the directory's policy is in force here
    std::uint64_t kept_signature_ = 0; ///< of the kept file when it was read for its stamp
    std::optional<std::uint64_t> kept_stamp_; ///< the latest seen there; empty: not read yet
    unsigned checks_until_keep_ = 0;          ///< after a failure
    std::string last_problem_;                ///< files and error that were logged last; empty: none
    std::string last_kept_problem_;           ///< the same for the kept copy
    std::optional<Broken> broken_;            ///< files that can never load
    std::optional<Content> accepted_;         ///< files that load and pass their tests

    mutable std::mutex status_mutex_;
    std::condition_variable first_check_over_;
    StoreStatus status_; ///< guarded by status_mutex_

    std::mutex log_mutex_;
    LogSink log_; ///< guarded by log_mutex_; empty once abandoned
};

} // namespace qg::policy
