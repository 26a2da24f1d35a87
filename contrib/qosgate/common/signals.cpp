// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/signals.hpp"

#include <csignal>

#include <unistd.h>

namespace qg::cli {
namespace {

void handle(std::span<const int> numbers, HandledSignals::Handler handler) {
    for (const int number : numbers)
        if (std::signal(number, handler) == SIG_IGN) std::signal(number, SIG_IGN);
}

} // namespace

HandledSignals::HandledSignals(std::span<const int> numbers, Handler handler) : numbers_(numbers) {
    handle(numbers_, handler);
}

HandledSignals::~HandledSignals() {
    handle(numbers_, SIG_DFL);
}

void say_in_handler(std::string_view line) noexcept {
    if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

} // namespace qg::cli
