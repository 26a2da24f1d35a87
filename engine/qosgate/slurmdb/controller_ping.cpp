// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/controller_ping.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <thread>

#include <fcntl.h>
#include <slurm/slurm.h>
#include <sys/wait.h>
#include <unistd.h>

namespace qg::slurmdb {
namespace {

using Clock = std::chrono::steady_clock;

/// How a child tells what its controller did. If slurm.conf is wrong, Slurm's library ends it with 1.
enum PingEnd { ping_answered = 40, ping_failed = 41 };

[[noreturn]] void be_ping(const SlurmConf& conf, int index) {
    // Slurm's library writes there that a controller does not answer.
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        dup2(nothing, stream);
    slurm_init(conf.path.c_str());
    _exit(slurm_ping(index) == SLURM_SUCCESS ? ping_answered : ping_failed);
}

/// Waits for the child, and ends it at the deadline.
std::optional<bool> wait_for(pid_t child, Clock::time_point deadline) {
    if (child < 0) return std::nullopt;
    int status = 0;
    for (;;) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) break;
        if (ended < 0 && errno != EINTR) return std::nullopt;
        if (Clock::now() >= deadline) {
            kill(child, SIGKILL);
            while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
            }
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (!WIFEXITED(status)) return std::nullopt;
    if (WEXITSTATUS(status) == ping_answered) return true;
    return WEXITSTATUS(status) == ping_failed ? std::optional(false) : std::nullopt;
}

} // namespace

std::vector<std::optional<bool>> ping_controllers(const SlurmConf& conf, std::chrono::milliseconds patience) {
    const Clock::time_point deadline = Clock::now() + patience;
    std::vector<pid_t> children;
    for (std::size_t i = 0; i < conf.controllers.size(); ++i) {
        const pid_t child = fork();
        if (child == 0) be_ping(conf, static_cast<int>(i));
        children.push_back(child);
    }
    std::vector<std::optional<bool>> answers;
    for (const pid_t child : children)
        answers.push_back(wait_for(child, deadline));
    return answers;
}

bool any_controller_answers(const SlurmConf& conf) {
    const auto count = static_cast<int>(std::max<std::size_t>(conf.controllers.size(), 1));
    for (int index = 0; index < count; ++index)
        if (slurm_ping(index) == SLURM_SUCCESS) return true;
    return false;
}

} // namespace qg::slurmdb
