// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/reading.hpp"

#include "qosgate/base/text.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <string_view>

#include <unistd.h>

namespace qg::cli {
namespace {

std::atomic<bool> is_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr std::array<int, 2> interrupting_signals{SIGINT, SIGTERM};

void on_interrupt(int number) {
    constexpr std::string_view line =
        "qosgate: interrupted: the jobs read so far are summed up (a second interrupt ends this at once)\n";
    is_interrupted = true;
    std::signal(number, SIG_DFL);
    say_in_handler(line);
}

} // namespace

InterruptedReading::InterruptedReading() : signals_(interrupting_signals, on_interrupt) {}

bool is_reading_interrupted() noexcept {
    return is_interrupted;
}

ReadingProgress::ReadingProgress(Output& output) : output_(output), is_on_(isatty(STDERR_FILENO) == 1) {}

void ReadingProgress::count() {
    constexpr std::uint64_t looks_at_the_clock = 10'000;
    if (++jobs_ % looks_at_the_clock != 0 || !is_on_) return;
    const auto now = Clock::now();
    if (is_due(now)) output_.note(text::format("{} jobs so far, {:.0f} each second", jobs_, rate(now)));
}

void ReadingProgress::at(std::time_t until) {
    if (!is_on_ || !is_due(Clock::now())) return;
    std::array<char, 32> text{};
    std::tm parts{};
    localtime_r(&until, &parts);
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M", &parts);
    output_.note(text::format("{} jobs so far, those before {}", jobs_, text.data()));
}

bool ReadingProgress::is_due(Clock::time_point now) {
    constexpr std::chrono::seconds interval{2};
    if (now - last_ < interval) return false;
    last_ = now;
    return true;
}

double ReadingProgress::rate(Clock::time_point now) const {
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    return seconds > 0 ? static_cast<double>(jobs_) / seconds : 0;
}

} // namespace qg::cli
