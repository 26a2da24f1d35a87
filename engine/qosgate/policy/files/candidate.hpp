// SPDX-License-Identifier: GPL-2.0-or-later
//
// CandidateWatch: keeps the candidate policy current, the directory `next` in that of the policy. It is
// loaded and tested as the policy itself, but it never comes into force: jobs are only compared with it.
#pragma once

#include "qosgate/base/error.hpp"
#include "qosgate/base/log.hpp"
#include "qosgate/base/published.hpp"
#include "qosgate/policy/files/reading_times.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/policy/store.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace qg::policy {

inline constexpr std::string_view candidate_directory_name = "next";

/// A candidate's rules may take no more CPU time for one job than this, whatever their rule_time_ms says.
inline constexpr std::chrono::milliseconds max_candidate_rule_time{25};

/// Threads: check() from one thread; the others from any.
class CandidateWatch {
  public:
    /// `directory` is the directory of the policy. `log` as in PolicyStore.
    CandidateWatch(const std::filesystem::path& directory, StoreOptions options, LogSink log);
    CandidateWatch(const CandidateWatch&) = delete;
    CandidateWatch& operator=(const CandidateWatch&) = delete;

    /// Looks at the directory; loads and tests it if it changed. While a changed one does not load, there is
    /// no candidate. Cost: one stat() without the directory; else blocking.
    void check() noexcept;

    /// Ends running tests, and keeps others from being run.
    void cancel_tests() noexcept { is_ending_ = true; }

    /// The loaded candidate; null: there is none. Cost: without one, reads a flag.
    [[nodiscard]] std::shared_ptr<const Policy> current() const {
        return is_loaded_.load(std::memory_order_relaxed) ? published_.get() : nullptr;
    }

    [[nodiscard]] CandidateStatus status() const;
    [[nodiscard]] const StoreOptions& options() const noexcept { return options_; }

  private:
    /// The identity of files and their tests.
    struct Content {
        std::uint64_t policy;
        std::uint64_t tests;
        friend bool operator==(const Content&, const Content&) = default;
    };

    void read();
    /// Errors: as compile_policy and pass_tests.
    Result<std::shared_ptr<const Policy>> load(const SourceDirectory& sources);
    void put(std::shared_ptr<const Policy> policy);
    void drop(std::optional<Error> error);

    const std::filesystem::path directory_;
    const StoreOptions options_;
    const LogSink log_;
    Published<Policy> published_;
    std::atomic<bool> is_loaded_ = false;
    std::atomic<bool> is_ending_ = false;
    // Only check() uses these.
    ReadingTimes times_;
    std::optional<Content> settled_; ///< files that are loaded, or that never will be
    std::string last_problem_;       ///< logged last; empty: none

    mutable std::mutex status_mutex_;
    CandidateStatus status_; ///< guarded by status_mutex_
};

} // namespace qg::policy
