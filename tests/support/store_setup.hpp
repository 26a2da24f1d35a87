// SPDX-License-Identifier: GPL-2.0-or-later
//
// A policy store under test.
#pragma once

#include "qosgate/policy/store.hpp"

#include "support/comes_true.hpp"
#include "support/plain_world.hpp"
#include "support/policy_setup.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace qg::test {

using namespace std::chrono_literals;

/// A store over a temporary directory, with its log.
class StoreSetup {
  public:
    explicit StoreSetup(policy::StoreOptions options = {})
        : store([this](LogLevel level, std::string text) { take(level, std::move(text)); },
                counted(std::move(options), reads_)) {}
    explicit StoreSetup(std::chrono::milliseconds poll)
        : StoreSetup(policy::StoreOptions{.poll_interval = poll}) {}

    static std::string warns(const std::string& word) { return rule_with("job:warn('" + word + "')"); }

    /// The message of the only rule in force.
    [[nodiscard]] std::string said() const {
        Job job;
        const auto outcome = job.run(*store.current());
        return outcome.warnings.empty() ? std::string() : outcome.warnings.front();
    }

    [[nodiscard]] bool stands(policy::Standing standing) const { return store.status().standing == standing; }

    /// As comes_true().
    template <typename Check>
    static bool soon(Check check) {
        return comes_true(std::move(check));
    }

    /// Whether the store reads the directory this many more times, each within soon().
    [[nodiscard]] bool looks_again(int times) const {
        // One more read has begun when these are over.
        for (const int end = *reads_ + times + 1; *reads_ < end;)
            if (!soon([&, before = reads_->load()] { return *reads_ > before; })) return false;
        return true;
    }

    [[nodiscard]] std::size_t errors() const {
        const std::scoped_lock lock(mutex_);
        return errors_.size();
    }
    [[nodiscard]] std::string last_error() const {
        const std::scoped_lock lock(mutex_);
        return errors_.empty() ? std::string() : errors_.back();
    }

    /// Whether an error with this text is the last one that was logged, within soon(): the standing changes
    /// a moment before.
    [[nodiscard]] bool has_told(std::string_view text) const {
        return soon([&] { return last_error().find(text) != std::string::npos; });
    }

    TempDirectory temp;

  private:
    using Count = std::shared_ptr<std::atomic<int>>; // a thread that hangs outlives the set-up

    static policy::StoreOptions counted(policy::StoreOptions options, const Count& reads) {
        options.read = [reads, read = std::move(options.read)](const fs::path& directory, uid_t user) {
            ++*reads;
            return read(directory, user);
        };
        if (!options.make_world) options.make_world = [] { return std::make_unique<PlainWorld>(); };
        return options;
    }

    void take(LogLevel level, std::string text) {
        const std::scoped_lock lock(mutex_);
        if (level != LogLevel::info) errors_.push_back(std::move(text)); // as slurmctld shows it
    }

    mutable std::mutex mutex_;
    std::vector<std::string> errors_;
    const Count reads_ = std::make_shared<std::atomic<int>>(0);

  public:
    policy::PolicyStore store; ///< last: its thread writes to the log
};

} // namespace qg::test
