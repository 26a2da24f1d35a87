// SPDX-License-Identifier: GPL-2.0-or-later
//
// WebServer: answers GET and HEAD from memory.
//
//   auto server = WebServer::start(address, [&](std::string_view path) { return answer_to(path); });
//   std::cout << (*server)->address().text();
#pragma once

#include "listen_address.hpp"

#include "qosgate/base/result.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct mg_context;
struct mg_connection;

namespace qg::cli {

struct WebAnswer {
    std::string content_type;
    std::shared_ptr<const std::string> body; ///< never null
};

/// Requests are bounded: 8 KiB of headers, a few seconds, four at once; the body of a request is not read.
class WebServer {
  public:
    /// The answer for a path; empty: there is none. Called on threads of the server, several at once.
    using Handler = std::function<std::optional<WebAnswer>(std::string_view path)>;

    /// Errors: unavailable or permission_denied, with the address and the reason.
    static Result<std::unique_ptr<WebServer>> start(const ListenAddress& address, Handler handler);

    WebServer(const WebServer&) = delete;
    WebServer& operator=(const WebServer&) = delete;
    /// Waits for requests in progress, at most some seconds.
    ~WebServer();

    /// Where it listens; with the port that the system chose if none was given.
    [[nodiscard]] const ListenAddress& address() const noexcept { return address_; }

  private:
    WebServer(ListenAddress address, Handler handler)
        : address_(std::move(address)), handler_(std::move(handler)) {}

    static int on_request(mg_connection* connection);
    void answer(mg_connection* connection) const;

    ListenAddress address_;
    Handler handler_;
    mg_context* context_ = nullptr;
};

} // namespace qg::cli
