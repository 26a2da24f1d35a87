// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/library.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/compat.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace qg::slurmdb {
namespace {

constexpr std::chrono::seconds rehearsal_limit{10};

/// Everything from `descriptor` until its end; empty if the end does not come within the limit.
std::optional<std::string> read_all(int descriptor, std::chrono::seconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    std::string said;
    std::array<char, 4096> buffer{};
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0) return std::nullopt;
        pollfd waiting{descriptor, POLLIN, 0};
        const int ready = poll(&waiting, 1, static_cast<int>(left.count()));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return std::nullopt;
        const ssize_t got = read(descriptor, buffer.data(), buffer.size());
        if (got <= 0) return said;
        said.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

Error bad_conf(const std::filesystem::path& path, std::string_view why) {
    return {ErrorCode::unavailable, text::format("{}: Slurm's library refuses it: {}", path.string(), why)};
}

/// The library's messages as one line, without the "program: error: " prefixes.
std::string reasons(const std::string& said) {
    std::vector<std::string> lines;
    for (std::string_view line : text::split(said, '\n')) {
        constexpr std::string_view mark = ": ";
        for (int prefixes = 0; prefixes < 2 && line.find(mark) != std::string_view::npos; ++prefixes)
            line.remove_prefix(line.find(mark) + mark.size());
        lines.push_back(text::printable(line));
    }
    return lines.empty() ? "it does not say why" : text::join(lines, "; ");
}

/// Lets a child process start the library, so that its exit() on a bad configuration ends only the child.
Result<void> probe_in_child(const std::filesystem::path& path) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return bad_conf(path, std::strerror(errno));
    const pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return bad_conf(path, std::strerror(errno));
    }
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        slurm_init(path.c_str());
        _exit(0);
    }
    close(ends[1]);
    const auto said = read_all(ends[0], rehearsal_limit);
    close(ends[0]);
    if (!said) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!said) return bad_conf(path, text::format("reading it took more than {} s", rehearsal_limit.count()));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return bad_conf(path, reasons(*said));
}

} // namespace

Result<void> Library::start(const SlurmConf& conf) {
    // Not ended when nobody needs it: 24.11's does not start a second time.
    static std::mutex mutex;
    static std::filesystem::path started;
    const std::scoped_lock lock(mutex);
    if (started == conf.path) return {};
    if (const auto works = probe_in_child(conf.path); !works) return works.error();
    slurm_init(conf.path.c_str());
    started = conf.path;
    return {};
}

} // namespace qg::slurmdb
