// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a command does while it reads very many jobs: it says how far it is, and an interrupt ends the
// reading, so that what was read is still told.
#pragma once

#include "common/output.hpp"
#include "common/signals.hpp"

#include <chrono>
#include <cstdint>
#include <ctime>

namespace qg::cli {

/// While it lives, the first SIGINT or SIGTERM (unless ignored) ends the reading, and the second one the
/// program. Threads: one object at a time, on the main thread.
class InterruptedReading {
  public:
    InterruptedReading();

  private:
    HandledSignals signals_;
};

/// Whether there was such a signal.
bool is_reading_interrupted() noexcept;

/// Says now and then how far it is, if standard error is a terminal. Threads: not thread-safe.
class ReadingProgress {
  public:
    explicit ReadingProgress(Output& output);

    /// One job more.
    void count();
    /// All jobs up to this time were read.
    void at(std::time_t until);

    /// Jobs each second.
    [[nodiscard]] double rate() const { return rate(Clock::now()); }

  private:
    using Clock = std::chrono::steady_clock;
    [[nodiscard]] double rate(Clock::time_point now) const;
    /// Whether it is time for a word.
    bool is_due(Clock::time_point now);

    Output& output_;
    bool is_on_;
    std::uint64_t jobs_ = 0;
    const Clock::time_point begin_ = Clock::now();
    Clock::time_point last_ = begin_;
};

} // namespace qg::cli
