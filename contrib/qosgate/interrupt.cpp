// SPDX-License-Identifier: GPL-2.0-or-later
#include "interrupt.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <string_view>

#include <unistd.h>

namespace qg::cli {
namespace {

using slurmdb::CommitStep;

constexpr std::array<int, 3> watched{SIGINT, SIGTERM, SIGHUP};

std::atomic<CommitStep> current_step{CommitStep::undone};
std::atomic<int> waiting_signal{0};
static_assert(std::atomic<CommitStep>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

/// Safe within a signal handler.
void say(std::string_view line) {
    if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

/// Ends the program by the signal; from a handler, as soon as that returns.
void end_by(int signal_number) {
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
}

void on_signal(int number) {
    const int saved = errno;
    switch (current_step.load()) {
    case CommitStep::undone:
        say("qosgate: interrupted: nothing was changed\n");
        end_by(number);
        break;
    case CommitStep::asked:
        if (waiting_signal.exchange(number) == 0) {
            say("qosgate: interrupted while slurmdbd stores the change: waiting for its answer "
                "(a second interrupt ends this at once)\n");
            break;
        }
        say("qosgate: interrupted: whether the change was stored is unknown; 'qosgate qos get' shows it\n");
        end_by(number);
        break;
    case CommitStep::stored:
        say("qosgate: interrupted: the change is stored\n");
        end_by(number);
        break;
    }
    errno = saved;
}

} // namespace

InterruptWatch::InterruptWatch() {
    for (const int number : watched)
        if (std::signal(number, on_signal) == SIG_IGN) std::signal(number, SIG_IGN);
}

InterruptWatch::~InterruptWatch() {
    for (const int number : watched)
        if (std::signal(number, SIG_DFL) == SIG_IGN) std::signal(number, SIG_IGN);
}

void InterruptWatch::note(CommitStep step) {
    current_step = step;
    const int number = waiting_signal;
    if (step != CommitStep::stored || number == 0) return;
    say("qosgate: interrupted: the change is stored\n");
    end_by(number);
}

} // namespace qg::cli
