// SPDX-License-Identifier: GPL-2.0-or-later
//
// HandledSignals: signals that a command answers itself while an object lives.
#pragma once

#include <span>
#include <string_view>

namespace qg::cli {

/// Installs a handler for some signals, and the usual actions again at its end. A signal that is ignored
/// (nohup) stays so. Threads: one object at a time, on the main thread.
class HandledSignals {
  public:
    using Handler = void (*)(int number);

    /// `numbers` outlives the object.
    HandledSignals(std::span<const int> numbers, Handler handler);
    HandledSignals(const HandledSignals&) = delete;
    HandledSignals& operator=(const HandledSignals&) = delete;
    ~HandledSignals();

  private:
    std::span<const int> numbers_;
};

/// Writes a line to standard error. Safe within a handler.
void say_in_handler(std::string_view line) noexcept;

} // namespace qg::cli
