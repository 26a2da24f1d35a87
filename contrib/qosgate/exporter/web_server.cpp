// SPDX-License-Identifier: GPL-2.0-or-later
#include "web_server.hpp"

#include "qosgate/base/background_thread.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <list>
#include <utility>

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace qg::cli {
namespace {

using Clock = std::chrono::steady_clock;

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
    int release() noexcept { return std::exchange(number_, -1); }

  private:
    int number_;
};

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size = sizeof(sockaddr_storage);

    sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
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

std::uint16_t port_of(const SocketAddress& address) noexcept {
    return ntohs(address.storage.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_port
                     : reinterpret_cast<const sockaddr_in&>(address.storage).sin_port);
}

/// The bytes that name a client: who has one address of IPv6 often has 2^64 of them.
using Peer = std::array<unsigned char, 8>;

Peer peer_of(const sockaddr& address) noexcept {
    Peer peer{};
    if (address.sa_family == AF_INET) {
        std::memcpy(peer.data(), &reinterpret_cast<const sockaddr_in&>(address).sin_addr, sizeof(in_addr));
    } else if (address.sa_family == AF_INET6) {
        const in6_addr& in = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
        if (IN6_IS_ADDR_V4MAPPED(&in))
            std::memcpy(peer.data(), &in.s6_addr[12], sizeof(in_addr));
        else
            std::memcpy(peer.data(), &in, peer.size());
    }
    return peer;
}

Error cannot_listen(const ListenAddress& address, int problem) {
    const std::string_view cure = problem == EADDRINUSE      ? "; name another port with --listen"
                                  : problem == EACCES        ? "; ports below 1024 are for root"
                                  : problem == EADDRNOTAVAIL ? "; name an address of this host"
                                                             : "";
    return {problem == EACCES ? ErrorCode::permission_denied : ErrorCode::unavailable,
            text::format("cannot listen on {}: {}{}", address.text(), std::strerror(problem), cure)};
}

// ---- answers -------------------------------------------------------------------------------------------

using Body = std::shared_ptr<const std::string>;

ssize_t read_body(void* body, std::uint64_t at, char* buffer, std::size_t size) {
    const std::string_view rest = std::string_view(**static_cast<Body*>(body)).substr(at);
    const std::size_t count = std::min(rest.size(), size);
    std::memcpy(buffer, rest.data(), count);
    return static_cast<ssize_t>(count);
}

void free_body(void* body) {
    delete static_cast<Body*>(body);
}

struct Header {
    const char* name;
    const char* value;
};

constexpr std::array<Header, 5> every_answer{
    Header{"Connection", "close"}, Header{"Cache-Control", "no-store"},
    Header{"X-Content-Type-Options", "nosniff"}, Header{"Referrer-Policy", "no-referrer"},
    Header{"Content-Security-Policy",
           "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}};

MHD_Result send_answer(MHD_Connection* connection, unsigned status, const WebAnswer& answer) {
    constexpr std::size_t block = 65'536;
    auto body = std::make_unique<Body>(answer.body);
    MHD_Response* const response =
        MHD_create_response_from_callback(answer.body->size(), block, &read_body, body.get(), &free_body);
    if (response == nullptr) return MHD_NO;
    body.release(); // the response owns it
    MHD_add_response_header(response, "Content-Type", answer.content_type.c_str());
    for (const Header& header : every_answer)
        MHD_add_response_header(response, header.name, header.value);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED) MHD_add_response_header(response, "Allow", "GET, HEAD");
    const MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

MHD_Result refuse(MHD_Connection* connection, unsigned status, const char* why) {
    return send_answer(connection, status,
                       {"text/plain; charset=utf-8", std::make_shared<const std::string>(why)});
}

/// The values of the header Host.
struct Hosts {
    std::size_t count = 0;
    std::string_view first;
};

Hosts hosts_of(MHD_Connection* connection) {
    Hosts hosts;
    MHD_get_connection_values(
        connection, MHD_HEADER_KIND,
        [](void* found, MHD_ValueKind, const char* name, const char* value) {
            auto& all = *static_cast<Hosts*>(found);
            if (text::iequals(name, "host") && all.count++ == 0) all.first = value == nullptr ? "" : value;
            return MHD_YES;
        },
        &hosts);
    return hosts;
}

} // namespace

// ---- the server's thread -------------------------------------------------------------------------------

class WebServer::Loop {
  public:
    Loop(Handler handler, const WebBounds& bounds) : handler_(std::move(handler)), bounds_(bounds) {}
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    ~Loop() {
        if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
    }

    /// Returns where it listens.
    Result<ListenAddress> open(ListenAddress address) {
        Descriptor listener(
            socket(address.is_ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        if (wake_.get() < 0 || listener.get() < 0) return cannot_listen(address, errno);
        SocketAddress target = to_socket_address(address);
        const int on = 1;
        setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(listener.get(), target.get(), target.size) != 0 || listen(listener.get(), SOMAXCONN) != 0)
            return cannot_listen(address, errno);
        SocketAddress chosen;
        if (getsockname(listener.get(), chosen.get(), &chosen.size) == 0) address.port = port_of(chosen);
        is_loopback_ = address.is_loopback();
        // Room for those that had to go and are not closed yet.
        constexpr unsigned limit = max_connections + max_connections / 4;
        daemon_ = MHD_start_daemon(MHD_USE_EPOLL | (address.is_ipv6 ? MHD_USE_IPv6 : 0), 0, &Loop::accepts,
                                   this, &Loop::answers, this, MHD_OPTION_LISTEN_SOCKET, listener.get(),
                                   MHD_OPTION_NOTIFY_CONNECTION, &Loop::notices, this,
                                   MHD_OPTION_CONNECTION_LIMIT, limit, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                   bounds_.memory, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
        if (daemon_ == nullptr) return cannot_listen(address, errno == 0 ? ENOMEM : errno);
        listener.release(); // the daemon closes it
        return address;
    }

    /// Until end() is called.
    void run() noexcept {
        const MHD_DaemonInfo* const info = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD);
        std::array<pollfd, 2> polled{{{.fd = wake_.get(), .events = POLLIN, .revents = 0},
                                      {.fd = info->epoll_fd, .events = POLLIN, .revents = 0}}};
        while (true) {
            poll(polled.data(), polled.size(), milliseconds_to_wait());
            if (polled[0].revents != 0) return;
            const Clock::time_point now = Clock::now();
            for (Connection& each : connections_)
                if (now >= each.deadline) each.drop();
            MHD_run(daemon_);
        }
    }

    /// Threads: any.
    void end() const noexcept {
        const std::uint64_t one = 1;
        while (write(wake_.get(), &one, sizeof one) < 0 && errno == EINTR) {
        }
    }

  private:
    struct Connection {
        int descriptor = -1;
        Peer peer{};
        Clock::time_point deadline; ///< of its request or, if that is there, of its answer
        Clock::time_point end;
        bool has_asked = false;
        bool had_to_go = false;

        /// The daemon sees its end in its next run and closes it.
        void drop() noexcept {
            if (!had_to_go) shutdown(descriptor, SHUT_RDWR);
            had_to_go = true;
            deadline = Clock::time_point::max();
        }
    };

    static Loop& of(void* loop) noexcept { return *static_cast<Loop*>(loop); }

    /// Until the first deadline; -1: without end.
    [[nodiscard]] int milliseconds_to_wait() const noexcept {
        constexpr std::int64_t longest = 60'000;
        std::int64_t wait = -1;
        auto first = Clock::time_point::max();
        for (const Connection& each : connections_)
            first = std::min(first, each.deadline);
        if (first != Clock::time_point::max())
            wait = std::clamp<std::int64_t>(
                std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now()).count(), 0, longest);
        MHD_UNSIGNED_LONG_LONG of_daemon = 0;
        if (MHD_get_timeout(daemon_, &of_daemon) == MHD_YES)
            wait = std::min(wait < 0 ? longest : wait,
                            static_cast<std::int64_t>(std::min<std::uint64_t>(of_daemon, longest)));
        return static_cast<int>(wait);
    }

    // The daemon calls these on the server's thread. No exception may pass through it.

    /// Before a connection is accepted: makes room for it.
    static MHD_Result accepts(void* loop, const sockaddr* address, socklen_t /*size*/) noexcept {
        Loop& self = of(loop);
        const Peer peer = peer_of(*address);
        const auto is_theirs = [&peer](const Connection& each) { return each.peer == peer; };
        const auto stays = [](const Connection& each) { return !each.had_to_go; };
        const auto all = std::ranges::count_if(self.connections_, stays);
        const auto theirs = std::ranges::count_if(
            self.connections_, [&](const Connection& each) { return stays(each) && is_theirs(each); });
        if (static_cast<std::size_t>(theirs) >= max_connections_per_peer)
            self.drop_oldest(is_theirs);
        else if (static_cast<std::size_t>(all) >= max_connections)
            self.drop_oldest([](const Connection&) { return true; });
        return MHD_YES;
    }

    /// Drops the oldest of these, one that is not being answered if there is one.
    template <typename Predicate>
    void drop_oldest(Predicate is_one) noexcept {
        const auto can_go = [&](const Connection& each) { return !each.had_to_go && is_one(each); };
        auto found = std::ranges::find_if(
            connections_, [&](const Connection& each) { return can_go(each) && !each.has_asked; });
        if (found == connections_.end()) found = std::ranges::find_if(connections_, can_go);
        if (found != connections_.end()) found->drop();
    }

    static void notices(void* loop, MHD_Connection* connection, void** context,
                        MHD_ConnectionNotificationCode what) noexcept {
        auto& connections = of(loop).connections_;
        if (what == MHD_CONNECTION_NOTIFY_STARTED)
            *context = of(loop).add(connection);
        else
            connections.remove_if([context](const Connection& each) { return &each == *context; });
    }

    /// Null if there is no memory for it; then it gets no answer.
    Connection* add(MHD_Connection* connection) noexcept {
        const int descriptor =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        const sockaddr* const address =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
        const Clock::time_point now = Clock::now();
        try {
            return &connections_.emplace_back(Connection{.descriptor = descriptor,
                                                         .peer = peer_of(*address),
                                                         .deadline = now + bounds_.head_time,
                                                         .end = now + bounds_.total_time});
        } catch (const std::exception&) {
            shutdown(descriptor, SHUT_RDWR);
            return nullptr;
        }
    }

    static MHD_Result answers(void* loop, MHD_Connection* connection, const char* path, const char* method,
                              const char* /*version*/, const char* /*body*/, std::size_t* /*size*/,
                              void** /*request*/) noexcept {
        auto* const known = static_cast<Connection*>(
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context);
        if (known == nullptr) return MHD_NO;
        known->has_asked = true;
        if (!known->had_to_go) known->deadline = known->end;
        try {
            return of(loop).answer(connection, path, method);
        } catch (const std::exception&) {
            return MHD_NO; // out of memory: it is closed without an answer
        }
    }

    MHD_Result answer(MHD_Connection* connection, std::string_view path, std::string_view method) {
        const Hosts hosts = hosts_of(connection);
        if (hosts.count > 1) return refuse(connection, MHD_HTTP_BAD_REQUEST, "A request has one host.\n");
        if (is_loopback_ && !is_local_host_header(hosts.first))
            return refuse(connection, MHD_HTTP_FORBIDDEN,
                          "This server is for this host only: name it by its address or as localhost.\n");
        if (method != "GET" && method != "HEAD")
            return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and HEAD.\n");
        const auto found = handler_(path);
        if (!found) return refuse(connection, MHD_HTTP_NOT_FOUND, "There are /, /metrics and /healthz.\n");
        return send_answer(connection, MHD_HTTP_OK, *found);
    }

    Handler handler_;
    WebBounds bounds_;
    Descriptor wake_{eventfd(0, EFD_CLOEXEC)};
    bool is_loopback_ = true;
    std::list<Connection> connections_; ///< the oldest first
    MHD_Daemon* daemon_ = nullptr;
};

Result<std::unique_ptr<WebServer>> WebServer::start(const ListenAddress& address, Handler handler,
                                                    const WebBounds& bounds) {
    auto loop = std::make_unique<Loop>(std::move(handler), bounds);
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
