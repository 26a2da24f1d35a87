// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/interrupt.hpp"

#include "common/signals.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <optional>

namespace qg::cli {
namespace {

using slurmdb::CommitStep;

constexpr std::array<int, 3> noted_signals{SIGINT, SIGTERM, SIGHUP};

std::atomic<CommitStep> current_step{CommitStep::undone};
std::atomic<int> waiting_signal{0};
std::optional<HandledSignals> signals; ///< outlives the watch where something may be stored
static_assert(std::atomic<CommitStep>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

/// Ends the program by the signal; from a handler, as soon as that returns.
void end_by(int signal_number) {
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
}

/// Whether this is the first interrupt: then it waits until slurmdbd has stored the change.
bool is_to_wait(int number) {
    if (waiting_signal.exchange(number) != 0) return false;
    say_in_handler("qosgate: interrupted while slurmdbd stores the change: waiting for its answer (a second "
                   "interrupt ends this at once)\n");
    return true;
}

void on_signal(int number) {
    const int saved = errno;
    switch (current_step.load()) {
    case CommitStep::undone:
        say_in_handler("qosgate: interrupted: nothing was changed\n");
        end_by(number);
        break;
    case CommitStep::asked:
        if (is_to_wait(number)) break;
        say_in_handler(
            "qosgate: interrupted: whether the change was stored is unknown; 'qosgate qos get' shows it\n");
        end_by(number);
        break;
    case CommitStep::half:
        if (is_to_wait(number)) break;
        say_in_handler(
            "qosgate: interrupted: only the first of two transactions is stored: new and changed "
            "QOSs, and access that is granted; not stored are default QOSs, access that is revoked "
            "and QOSs that are deleted: 'qosgate spec apply FILES' does the rest\n");
        end_by(number);
        break;
    case CommitStep::asked_rest:
        if (is_to_wait(number)) break;
        say_in_handler("qosgate: interrupted: the first of two transactions is stored: new and changed QOSs, "
                       "and access that is granted; whether default QOSs, access that is revoked and QOSs "
                       "that are deleted are stored is unknown: 'qosgate spec apply FILES' does what is "
                       "missing\n");
        end_by(number);
        break;
    case CommitStep::stored:
        say_in_handler("qosgate: interrupted: the change is stored\n");
        end_by(number);
        break;
    }
    errno = saved;
}

} // namespace

InterruptWatch::InterruptWatch() {
    signals.emplace(noted_signals, on_signal);
}

InterruptWatch::~InterruptWatch() {
    if (current_step == CommitStep::undone) signals.reset();
}

void InterruptWatch::note(CommitStep step) {
    current_step = step;
    const int number = waiting_signal;
    if (step != CommitStep::stored || number == 0) return;
    say_in_handler("qosgate: interrupted: the change is stored\n");
    end_by(number);
}

} // namespace qg::cli
