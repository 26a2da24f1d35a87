// SPDX-License-Identifier: GPL-2.0-or-later
#include "web_connection.hpp"

#include <algorithm>
#include <cerrno>
#include <span>

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace qg::cli {
namespace {

bool must_wait() noexcept {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

ssize_t receive_now(int descriptor, std::span<char> buffer) noexcept {
    return recv(descriptor, buffer.data(), buffer.size(), MSG_DONTWAIT);
}

} // namespace

WebConnection::~WebConnection() {
    ::close(descriptor_);
}

short WebConnection::events() const noexcept {
    return step_ == Step::sending ? POLLOUT : POLLIN;
}

bool WebConnection::advance(const Responder& respond, Clock::time_point now) {
    if (now >= deadline_) return false;
    if (step_ == Step::reading) {
        if (!read(respond)) return false;
        if (step_ == Step::sending) deadline_ = end_;
    }
    if (step_ == Step::sending && !send(now)) return false;
    return step_ != Step::closing || close();
}

bool WebConnection::read(const Responder& respond) {
    constexpr std::string_view empty_line = "\r\n\r\n";
    std::array<char, max_head_bytes> buffer{};
    const ssize_t got = receive_now(descriptor_, buffer);
    if (got <= 0) return got < 0 && must_wait();
    const std::size_t seen = input_.size() - std::min(input_.size(), empty_line.size() - 1);
    input_.append(buffer.data(), static_cast<std::size_t>(got));
    const std::size_t end = input_.find(empty_line, seen);
    const bool is_whole = end != std::string::npos && end + empty_line.size() <= max_head_bytes;
    if (!is_whole && input_.size() < max_head_bytes) return true;
    response_ = respond(is_whole ? std::string_view(input_).substr(0, end) : std::string_view());
    input_.clear();
    input_.shrink_to_fit();
    step_ = Step::sending;
    return true;
}

bool WebConnection::send(Clock::time_point now) {
    const std::string_view head = response_.head;
    const std::string_view body = response_.body ? std::string_view(*response_.body) : std::string_view();
    const std::string_view head_left = head.substr(std::min(sent_, head.size()));
    const std::string_view body_left = body.substr(std::max(sent_, head.size()) - head.size());
    std::array<iovec, 2> parts{iovec{const_cast<char*>(head_left.data()), head_left.size()},  // NOLINT
                               iovec{const_cast<char*>(body_left.data()), body_left.size()}}; // NOLINT
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t count = sendmsg(descriptor_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) return must_wait();
    sent_ += static_cast<std::size_t>(count);
    if (sent_ < head.size() + body.size()) return true;
    response_ = {};
    // What arrives after a close() would reset the connection, and the client lose the answer with it.
    shutdown(descriptor_, SHUT_WR);
    deadline_ = std::min(end_, now + closing_time);
    step_ = Step::closing;
    return true;
}

bool WebConnection::close() {
    constexpr std::size_t max_discarded = 65'536;
    std::array<char, 4096> buffer{};
    while (discarded_ < max_discarded) {
        const ssize_t got = receive_now(descriptor_, buffer);
        if (got <= 0) return got < 0 && must_wait();
        discarded_ += static_cast<std::size_t>(got);
    }
    return false;
}

} // namespace qg::cli
