// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/child_process.hpp"

#include "qosgate/base/scope_exit.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace qg::plugin {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t max_bytes = std::size_t{8} << 20u; // two answers with 64 options of 32 KiB fit

/// Sends all bytes; false if the reader is gone.
bool write_all(int pipe, const char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t count = write(pipe, bytes, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

/// What the child sends first: the deadline, which may be the one that it has.
using SentDeadline = std::int64_t;

/// The handlers are the caller's, who may go on after a crash or block what ends a process.
void forget_signal_handlers() {
    for (int signal = 1; signal < NSIG; ++signal)
        std::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// The threads of the work fill a few megabytes and end. By itself, malloc grows the memory of each thread
/// but the first by 4 KiB at a time.
void let_memory_grow_fast() {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TOP_PAD, 4 << 20u);
}

/// The line of the child's end of the pipe.
class PipeLine final : public ChildLine {
  public:
    explicit PipeLine(int pipe) noexcept : pipe_(pipe) {}

    void allow(milliseconds time) override {
        if (has_sent_deadline_) return;
        has_sent_deadline_ = true;
        const SentDeadline count = time.count();
        write_all(pipe_, reinterpret_cast<const char*>(&count), sizeof count);
    }
    void send(const std::string& bytes) override {
        allow(milliseconds(0));
        write_all(pipe_, bytes.data(), bytes.size());
    }

  private:
    int pipe_;
    bool has_sent_deadline_ = false;
};

[[noreturn]] void be_child(int pipe, pid_t parent, const std::function<std::string(ChildLine&)>& work) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_FAILURE); // it ended before
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    forget_signal_handlers();
    let_memory_grow_fast();
    // Another file may have the number of one that the caller has closed; such files close on exec.
    if (const int null = open("/dev/null", O_RDWR | O_CLOEXEC); null >= 0)
        for (const int standard : {STDOUT_FILENO, STDERR_FILENO})
            if (const int flags = fcntl(standard, F_GETFD); flags >= 0 && (flags & FD_CLOEXEC) == 0)
                dup2(null, standard);
    PipeLine line(pipe);
    try {
        line.send(work(line));
        _exit(EXIT_SUCCESS);
    } catch (...) {
        _exit(EXIT_FAILURE);
    }
}

/// Reads until the child ends or the deadline comes.
ChildResult read_until(Clock::time_point start, milliseconds deadline, int pipe) {
    std::string bytes; // the deadline, then the answer
    const auto answer = [&bytes] {
        return bytes.size() < sizeof(SentDeadline) ? std::string() : bytes.substr(sizeof(SentDeadline));
    };
    bool knows_deadline = false;
    std::array<char, 4096> part{};
    for (;;) {
        const auto left = std::chrono::ceil<milliseconds>(start + deadline - Clock::now());
        if (left.count() <= 0) return {ChildEnd::late, answer()};
        pollfd ready{pipe, POLLIN, 0};
        const int count = poll(&ready, 1, static_cast<int>(left.count()));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return {};
        if (count == 0) continue; // the deadline
        const ssize_t size = read(pipe, part.data(), part.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0 || bytes.size() > max_bytes) return {};
        if (size == 0) break;
        bytes.append(part.data(), static_cast<std::size_t>(size));
        if (!knows_deadline && bytes.size() >= sizeof(SentDeadline)) {
            SentDeadline sent = 0;
            std::memcpy(&sent, bytes.data(), sizeof sent);
            if (sent > 0) deadline = milliseconds(sent);
            knows_deadline = true;
        }
    }
    if (!knows_deadline) return {};
    return {ChildEnd::answered, answer()};
}

/// Moves a descriptor away from those of standard input, output and error, which a caller may have closed.
int move_up(int descriptor) {
    const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(descriptor);
    return moved;
}

} // namespace

ChildResult run_in_child(milliseconds deadline, const std::function<std::string(ChildLine& line)>& work) {
    const auto start = Clock::now();
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    const int reader = move_up(ends[0]);
    const int writer = move_up(ends[1]);
    const ScopeExit close_reader([reader] { close(reader); });
    const pid_t parent = getpid();
    const pid_t child = reader < 0 || writer < 0 ? -1 : fork();
    if (child == 0) {
        close(reader); // so that a caller that has gone is noticed
        be_child(writer, parent, work);
    }
    close(writer);
    if (child < 0) return {};
    ChildResult result = read_until(start, deadline, reader);
    if (result.end != ChildEnd::answered) kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return result;
}

} // namespace qg::plugin
