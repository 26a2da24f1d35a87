// SPDX-License-Identifier: GPL-2.0-or-later
//
// WebServer: answers GET and HEAD from memory, with libmicrohttpd.
//
//   auto server = WebServer::start(address, [&](std::string_view path) { return answer_to(path); });
//   std::cout << (*server)->address().text();
#pragma once

#include "listen_address.hpp"

#include "qosgate/base/result.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace qg::cli {

struct WebAnswer {
    std::string content_type;
    std::shared_ptr<const std::string> body; ///< never null
};

/// How long a client may take, and how much it may send.
struct WebBounds {
    /// For the head of the request, from the moment that the connection was accepted.
    std::chrono::milliseconds head_time{1000};
    /// For the request and its answer.
    std::chrono::milliseconds total_time{10'000};
    /// For the head of the request and for that of the answer together.
    std::size_t memory = 16'384;
};

/// One thread serves all connections and never waits for one of them. Each has one request and one answer. A
/// request is bounded in bytes and time, and its body is not read. Where there are too many connections, a
/// new one takes the place of the oldest that has not asked for anything yet; so clients that hold
/// connections do not keep out those that ask.
class WebServer {
  public:
    /// The answer for a path; empty: there is none. Called on the server's thread; must not block.
    using Handler = std::function<std::optional<WebAnswer>(std::string_view path)>;

    static constexpr std::size_t max_connections = 512;
    static constexpr std::size_t max_connections_per_peer = 64; ///< an IPv4 address or 64 bits of IPv6

    /// Errors: unavailable or permission_denied, with the address and the reason. Throws std::system_error if
    /// no thread can be created.
    static Result<std::unique_ptr<WebServer>> start(const ListenAddress& address, Handler handler,
                                                    const WebBounds& bounds = {});

    WebServer(const WebServer&) = delete;
    WebServer& operator=(const WebServer&) = delete;
    /// Closes all connections.
    ~WebServer();

    /// Where it listens; with the port that the system chose if none was given.
    [[nodiscard]] const ListenAddress& address() const noexcept { return address_; }

  private:
    class Loop;

    WebServer(ListenAddress address, std::unique_ptr<Loop> loop);

    ListenAddress address_;
    std::unique_ptr<Loop> loop_;
    std::thread thread_;
};

} // namespace qg::cli
