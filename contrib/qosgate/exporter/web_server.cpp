// SPDX-License-Identifier: GPL-2.0-or-later
#include "web_server.hpp"

#include "http_request.hpp"
#include "web_connection.hpp"

#include "qosgate/base/background_thread.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace qg::cli {
namespace {

using Clock = WebConnection::Clock;

/// Owns a descriptor; below 0: none.
class Descriptor {
  public:
    explicit Descriptor(int number = -1) noexcept : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }
    [[nodiscard]] int get() const noexcept { return number_; }

  private:
    int number_;
};

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size = sizeof(sockaddr_storage);

    sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
    [[nodiscard]] const sockaddr_in& v4() const noexcept {
        return reinterpret_cast<const sockaddr_in&>(storage);
    }
    [[nodiscard]] const sockaddr_in6& v6() const noexcept {
        return reinterpret_cast<const sockaddr_in6&>(storage);
    }
    [[nodiscard]] bool is_ipv6() const noexcept { return storage.ss_family == AF_INET6; }
};

SocketAddress to_socket_address(const ListenAddress& address) {
    SocketAddress made;
    if (address.is_ipv6) {
        auto& in = reinterpret_cast<sockaddr_in6&>(made.storage);
        in.sin6_family = AF_INET6;
        in.sin6_port = htons(address.port);
        inet_pton(AF_INET6, address.host.c_str(), &in.sin6_addr);
        made.size = sizeof in;
    } else {
        auto& in = reinterpret_cast<sockaddr_in&>(made.storage);
        in.sin_family = AF_INET;
        in.sin_port = htons(address.port);
        inet_pton(AF_INET, address.host.c_str(), &in.sin_addr);
        made.size = sizeof in;
    }
    return made;
}

/// The bytes that name a client: who has one address of IPv6 often has 2^64 of them.
std::string peer_of(const SocketAddress& address) {
    const auto bytes = [](const void* from, std::size_t size) {
        return std::string(static_cast<const char*>(from), size);
    };
    if (!address.is_ipv6()) return bytes(&address.v4().sin_addr, sizeof(in_addr));
    const in6_addr& in = address.v6().sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&in)) return bytes(&in.s6_addr[12], 4);
    return bytes(&in, 8);
}

Error cannot_listen(const ListenAddress& address, int problem) {
    const std::string_view cure = problem == EADDRINUSE      ? "; name another port with --listen"
                                  : problem == EACCES        ? "; ports below 1024 are for root"
                                  : problem == EADDRNOTAVAIL ? "; name an address of this host"
                                                             : "";
    return {problem == EACCES ? ErrorCode::permission_denied : ErrorCode::unavailable,
            text::format("cannot listen on {}: {}{}", address.text(), std::strerror(problem), cure)};
}

WebResponse make_response(std::string_view status, std::string_view type,
                          std::shared_ptr<const std::string> body, std::string_view more_headers = {}) {
    return {
        .head = text::format(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n"
            "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
            "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; "
            "frame-ancestors 'none'\r\n{}\r\n",
            status, type, body->size(), more_headers),
        .body = std::move(body)};
}

WebResponse refuse(std::string_view status, const char* why, std::string_view more_headers = {}) {
    return make_response(status, "text/plain; charset=utf-8", std::make_shared<const std::string>(why),
                         more_headers);
}

} // namespace

/// The server's thread.
class WebServer::Loop {
  public:
    Loop(bool is_ipv6, Handler handler)
        : handler_(std::move(handler)),
          listener_(socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {}

    /// Returns where it listens.
    Result<ListenAddress> open(ListenAddress address) {
        if (wake_.get() < 0 || listener_.get() < 0) return cannot_listen(address, errno);
        SocketAddress target = to_socket_address(address);
        const int on = 1;
        setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(listener_.get(), target.get(), target.size) != 0 || listen(listener_.get(), SOMAXCONN) != 0)
            return cannot_listen(address, errno);
        SocketAddress chosen;
        if (getsockname(listener_.get(), chosen.get(), &chosen.size) == 0)
            address.port = ntohs(chosen.is_ipv6() ? chosen.v6().sin6_port : chosen.v4().sin_port);
        is_loopback_ = address.is_loopback();
        return address;
    }

    /// Until end() is called.
    void run() noexcept {
        while (!ends_) {
            try {
                serve_once();
            } catch (const std::exception&) {
                connections_.clear(); // out of memory
            }
        }
    }

    /// Threads: any.
    void end() const noexcept {
        const std::uint64_t one = 1;
        while (write(wake_.get(), &one, sizeof one) < 0 && errno == EINTR) {
        }
    }

  private:
    void serve_once() {
        wait();
        const Clock::time_point now = Clock::now();
        for (std::size_t i = 0; i < connections_.size(); ++i)
            if (polled_[i + fixed].revents != 0 || now >= connections_[i]->deadline())
                if (!advance(*connections_[i], now)) connections_[i].reset();
        std::erase(connections_, nullptr);
        if (polled_[1].revents != 0) accept_some(now);
        ends_ = polled_[0].revents != 0;
    }

    /// Waits for the first event or deadline.
    void wait() {
        polled_ = {{.fd = wake_.get(), .events = POLLIN, .revents = 0},
                   {.fd = listener_.get(), .events = POLLIN, .revents = 0}};
        auto until = Clock::time_point::max();
        for (const auto& each : connections_) {
            polled_.push_back({.fd = each->descriptor(), .events = each->events(), .revents = 0});
            until = std::min(until, each->deadline());
        }
        int milliseconds = -1;
        if (!connections_.empty()) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
            milliseconds = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
        }
        if (poll(polled_.data(), polled_.size(), milliseconds) < 0)
            for (pollfd& each : polled_)
                each.revents = 0;
    }

    /// Few at once, so that those who came before are read before they have to go.
    void accept_some(Clock::time_point now) {
        constexpr int at_once = 16;
        for (int i = 0; i < at_once; ++i) {
            SocketAddress from;
            const int descriptor =
                accept4(listener_.get(), from.get(), &from.size, SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (descriptor < 0) return accept_failed();
            std::string peer = peer_of(from);
            make_room(peer);
            auto fresh = std::make_unique<WebConnection>(descriptor, std::move(peer), now);
            if (advance(*fresh, now)) connections_.push_back(std::move(fresh));
        }
    }

    void accept_failed() {
        if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return;
        // No descriptors or no memory: the next one takes the place of another.
        if (!connections_.empty()) return close_oldest([](const WebConnection&) { return true; });
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }

    void make_room(const std::string& peer) {
        const auto is_theirs = [&peer](const WebConnection& each) { return each.peer() == peer; };
        const auto count =
            std::ranges::count_if(connections_, [&](const auto& each) { return is_theirs(*each); });
        if (static_cast<std::size_t>(count) >= max_connections_per_peer)
            close_oldest(is_theirs);
        else if (connections_.size() >= max_connections)
            close_oldest([](const WebConnection&) { return true; });
    }

    /// Closes the oldest of these, one that is not being answered if there is one.
    template <typename Predicate>
    void close_oldest(Predicate is_one) {
        auto found = std::ranges::find_if(
            connections_, [&](const auto& each) { return is_one(*each) && !each->is_sending(); });
        if (found == connections_.end())
            found = std::ranges::find_if(connections_, [&](const auto& each) { return is_one(*each); });
        if (found != connections_.end()) connections_.erase(found);
    }

    bool advance(WebConnection& connection, Clock::time_point now) const noexcept {
        try {
            return connection.advance([this](std::string_view head) { return respond(head); }, now);
        } catch (const std::exception&) {
            return false; // out of memory: it is closed without an answer
        }
    }

    [[nodiscard]] WebResponse respond(std::string_view head) const {
        if (head.empty()) return refuse("431 Request Header Fields Too Large", "The request is too large.\n");
        const auto request = HttpRequest::parse(head);
        if (!request) return refuse("400 Bad Request", "That is not a request of HTTP/1.1.\n");
        WebResponse response = respond_to(*request);
        if (request->method == "HEAD") response.body = nullptr;
        return response;
    }

    [[nodiscard]] WebResponse respond_to(const HttpRequest& request) const {
        if (is_loopback_ && !is_local_host_header(request.host))
            return refuse("403 Forbidden",
                          "This server is for this host only: name it by its address or as localhost.\n");
        if (request.method != "GET" && request.method != "HEAD")
            return refuse("405 Method Not Allowed", "Only GET and HEAD.\n", "Allow: GET, HEAD\r\n");
        const auto found = handler_(request.path);
        if (!found) return refuse("404 Not Found", "There are /, /metrics and /healthz.\n");
        return make_response("200 OK", found->content_type, found->body);
    }

    static constexpr std::size_t fixed = 2; ///< polled before the connections

    Handler handler_;
    Descriptor wake_{eventfd(0, EFD_CLOEXEC)};
    Descriptor listener_;
    bool is_loopback_ = true;
    bool ends_ = false;
    std::vector<std::unique_ptr<WebConnection>> connections_; ///< the oldest first
    std::vector<pollfd> polled_;
};

Result<std::unique_ptr<WebServer>> WebServer::start(const ListenAddress& address, Handler handler) {
    auto loop = std::make_unique<Loop>(address.is_ipv6, std::move(handler));
    const auto opened = loop->open(address);
    if (!opened) return opened.error();
    return std::unique_ptr<WebServer>(new WebServer(*opened, std::move(loop)));
}

WebServer::WebServer(ListenAddress address, std::unique_ptr<Loop> loop)
    : address_(std::move(address)), loop_(std::move(loop)),
      thread_(start_background_thread([loop = loop_.get()] { loop->run(); })) {}

WebServer::~WebServer() {
    loop_->end();
    thread_.join();
}

} // namespace qg::cli
