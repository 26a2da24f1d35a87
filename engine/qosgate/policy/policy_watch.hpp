// SPDX-License-Identifier: GPL-2.0-or-later
//
// PolicyWatch: what PolicyStore and its thread share: what the folder looked like, what is in force, and what
// became of each look.
#pragma once

#include "qosgate/base/published.hpp"
#include "qosgate/policy/store.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>

namespace qg::policy {

/// When a folder's files are to be read: not while they are being written, not while all is quiet.
/// Threads: not thread-safe.
class ReadingTimes {
  public:
    /// Looks at the folder. Cost: blocking; opens no file.
    bool is_time_to_read(const std::filesystem::path& folder);
    /// Called after a read.
    void settle() noexcept { unsettled_looks_ = 0; }

  private:
    std::uint64_t signature_ = 0;
    unsigned unsettled_looks_ = 0; ///< in a row, that found the folder changing
    unsigned quiet_looks_ = 0;
};

/// Threads: internally locked; one look at a time.
class PolicyWatch {
  public:
    PolicyWatch(LogSink log, StoreOptions options);

    /// Closed from now on, until something is in force. Called once, before any look.
    void begin(std::filesystem::path folder);

    /// Puts in force what was kept, then what the folder has.
    void first_look() noexcept;
    void look() noexcept;
    void refresh();

    /// Whether the first look was over in time.
    bool wait_for_first_look(std::chrono::milliseconds patience);
    /// Logs that it was not.
    void report_hanging();

    /// Whether this call was the first one.
    bool mark_active() noexcept { return !is_active_.load() && !is_active_.exchange(true); }
    /// The owner has gone: a thread that still hangs logs and keeps nothing any more.
    void abandon();

    [[nodiscard]] bool is_closed() const noexcept { return is_closed_.load(std::memory_order_acquire); }
    [[nodiscard]] std::shared_ptr<const Policy> current() const { return published_.get(); }
    [[nodiscard]] StoreStatus status() const;
    [[nodiscard]] const StoreOptions& options() const noexcept { return options_; }

  private:
    /// Where what is in force comes from.
    enum class Basis : std::uint8_t { nothing, kept_copy, folder };

    /// Why a content does not load.
    struct Broken {
        std::uint64_t hash;
        Error error;
    };

    template <typename Work>
    void guarded_look(Work work) noexcept;
    void end_first_look();
    void read_folder();
    /// Whether another process has kept something since the last look: the stamp there is a later one. If
    /// this one was the last to do so, it no longer decides about jobs: not before the next one comes. Where
    /// what is kept is gone, spoilt or older than it was, nobody has: who is at work keeps its policy again.
    bool notice_keeper();
    void adopt_kept_copy();
    /// Puts the kept copy in force; where it cannot be used all stays as it is.
    void take_kept_copy();
    void report_kept_copy(const Error& error);
    void put_in_force(const std::shared_ptr<const Policy>& policy, Basis basis);
    void confirm();
    void stay(const Error& error, std::uint64_t hash);
    void keep();
    /// For what is kept next: later than any that was seen.
    [[nodiscard]] std::uint64_t next_stamp() const;
    void set_standing(Basis basis, const std::optional<Error>& error);
    [[nodiscard]] std::uint64_t hash_in_force() const noexcept;
    [[nodiscard]] std::string describe_in_force() const;
    void log(LogLevel level, const std::string& text);

    const StoreOptions options_;
    Published<Policy> published_;
    std::atomic<bool> is_closed_ = false;
    std::atomic<bool> is_active_ = false;
    std::atomic<bool> was_active_ = false; ///< and then another process kept its policy

    std::mutex look_mutex_; ///< guards from here to the next mutex
    std::filesystem::path folder_;
    ReadingTimes times_;
    std::shared_ptr<const Policy> in_force_; ///< null: nothing
    Basis basis_ = Basis::nothing;
    std::optional<std::uint64_t> kept_hash_;  ///< of what is kept, as far as is known
    bool kept_is_unusable_ = false;           ///< a copy is there, and nobody knows what it says
    bool is_kept_by_us_ = false;              ///< by nobody else since
    bool another_keeps_ = false;              ///< has, since the folder's policy came into force here
    std::uint64_t kept_signature_ = 0;        ///< of the kept file when it was read for its stamp
    std::optional<std::uint64_t> kept_stamp_; ///< the latest that was seen there; nothing: nobody has looked
    unsigned looks_until_keep_ = 0;           ///< after a failure
    std::string last_problem_;                ///< content and error that were logged last; empty: none
    std::string last_kept_problem_;           ///< the same of the kept copy
    std::optional<Broken> broken_;            ///< a content that can never load

    mutable std::mutex status_mutex_;
    std::condition_variable first_look_over_;
    StoreStatus status_; ///< guarded by status_mutex_

    std::mutex log_mutex_;
    LogSink log_; ///< guarded by log_mutex_; empty once abandoned
};

} // namespace qg::policy
