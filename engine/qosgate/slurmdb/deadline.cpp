// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/deadline.hpp"

#include "qosgate/base/background_thread.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <filesystem>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace qg::slurmdb {
namespace {

/// How often expired sockets are shut down again: the library may have opened another one by itself.
constexpr std::chrono::milliseconds repeat_every{100};

bool is_connected_stream(int descriptor) {
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) return false;
    sockaddr_storage peer{};
    size = sizeof peer;
    if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return false;
    return peer.ss_family == AF_INET || peer.ss_family == AF_INET6;
}

} // namespace

SocketSet open_sockets() {
    SocketSet found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
        const auto descriptor = text::parse_unsigned(entry.path().filename().string());
        if (!descriptor) continue;
        const int number = static_cast<int>(*descriptor);
        struct stat status {};
        if (is_connected_stream(number) && fstat(number, &status) == 0) found[number] = status.st_ino;
    }
    return found;
}

SocketSet new_sockets(const SocketSet& before, const SocketSet& now) {
    SocketSet fresh;
    for (const auto& [descriptor, inode] : now) {
        const auto old = before.find(descriptor);
        if (old == before.end() || old->second != inode) fresh.emplace(descriptor, inode);
    }
    return fresh;
}

void send_at_once(const SocketSet& sockets) {
    const int on = 1;
    for (const auto& [descriptor, inode] : sockets) {
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        setsockopt(descriptor, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
    }
}

Deadline::Deadline(std::chrono::milliseconds limit, SocketSet own, LateNotice late)
    : own_(std::move(own)), late_(std::move(late)), before_(open_sockets()) {
    send_at_once(own_);
    watcher_ = start_background_thread([this, limit] { watch(limit); });
}

Deadline::~Deadline() {
    {
        const std::scoped_lock lock(mutex_);
        is_done_ = true;
    }
    changed_.notify_all();
    watcher_.join();
}

bool Deadline::expired() const {
    const std::scoped_lock lock(mutex_);
    return is_expired_;
}

void Deadline::watch(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    const bool is_noticed = late_.say && late_.after < limit;
    if (is_noticed) {
        if (is_done_within(lock, late_.after)) return;
        late_.say();
    }
    if (is_done_within(lock, is_noticed ? limit - late_.after : limit)) return;
    is_expired_ = true;
    do {
        end_calls();
    } while (!changed_.wait_for(lock, repeat_every, [this] { return is_done_; }));
}

/// Whether the call was done before the limit. Meanwhile it acknowledges incoming data, because Linux soon
/// forgets the setting to do so at once. This delays an answer by at most an eighth of the time that it took.
bool Deadline::is_done_within(std::unique_lock<std::mutex>& lock, std::chrono::milliseconds limit) {
    using std::chrono::milliseconds;
    constexpr milliseconds min_step{1};
    constexpr milliseconds max_step{20};
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
        const auto spent = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
        if (spent >= limit) return false;
        const auto step = std::min(std::clamp(spent / 8, min_step, max_step), limit - spent);
        if (changed_.wait_for(lock, step, [this] { return is_done_; })) return true;
        send_at_once(own_);
    }
}

void Deadline::end_calls() const {
    // The reading end only: libslurm calls it fatal when poll() reports more than "readable", as it does for
    // a socket shut down both ways. slurmdbd sees the end when libslurm closes the socket.
    const SocketSet now = open_sockets();
    for (const auto& [descriptor, inode] : new_sockets(before_, now))
        shutdown(descriptor, SHUT_RD);
    for (const auto& [descriptor, inode] : own_) {
        const auto same = now.find(descriptor);
        if (same != now.end() && same->second == inode) shutdown(descriptor, SHUT_RD);
    }
}

} // namespace qg::slurmdb
