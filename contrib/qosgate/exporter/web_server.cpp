// SPDX-License-Identifier: GPL-2.0-or-later
#include "web_server.hpp"

#include "qosgate/base/scope_exit.hpp"
#include "qosgate/base/text.hpp"

#include <civetweb.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace qg::cli {
namespace {

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size = 0;

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

Error cannot_listen(const ListenAddress& address, int problem) {
    const std::string_view cure = problem == EADDRINUSE      ? "; name another port with --listen"
                                  : problem == EACCES        ? "; ports below 1024 are for root"
                                  : problem == EADDRNOTAVAIL ? "; name an address of this host"
                                                             : "";
    return {problem == EACCES ? ErrorCode::permission_denied : ErrorCode::unavailable,
            text::format("cannot listen on {}: {}{}", address.text(), std::strerror(problem), cure)};
}

/// Whether the address is free, because the library does not say why it cannot listen.
Result<void> try_to_listen(const ListenAddress& address) {
    const int descriptor = socket(address.is_ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return cannot_listen(address, errno);
    const ScopeExit on_exit([descriptor] { close(descriptor); });
    const int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    SocketAddress target = to_socket_address(address);
    if (bind(descriptor, target.get(), target.size) != 0 || listen(descriptor, 1) != 0)
        return cannot_listen(address, errno);
    return {};
}

int drop_message(const mg_connection*, const char*) {
    return 1;
}

void send(mg_connection* connection, std::string_view status, std::string_view type, std::string_view body,
          std::string_view more_headers = {}) {
    const std::string head = text::format(
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n"
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
        "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'\r\n"
        "{}\r\n",
        status, type, body.size(), more_headers);
    mg_write(connection, head.data(), head.size());
    const std::string_view method = mg_get_request_info(connection)->request_method;
    if (method != "HEAD") mg_write(connection, body.data(), body.size());
}

constexpr std::string_view plain = "text/plain; charset=utf-8";

} // namespace

Result<std::unique_ptr<WebServer>> WebServer::start(const ListenAddress& address, Handler handler) {
    if (const auto is_free = try_to_listen(address); !is_free) return is_free.error();
    std::unique_ptr<WebServer> server(new WebServer(address, std::move(handler)));
    const std::string port = address.text();
    const std::array<const char*, 13> options{"listening_ports",
                                              port.c_str(),
                                              "num_threads",
                                              "4",
                                              "connection_queue",
                                              "32",
                                              "listen_backlog",
                                              "64",
                                              "request_timeout_ms",
                                              "5000",
                                              "max_request_size",
                                              "8192",
                                              nullptr};
    mg_callbacks callbacks{};
    callbacks.begin_request = on_request;
    callbacks.log_message = drop_message;
    callbacks.log_access = drop_message;
    server->context_ = mg_start(&callbacks, server.get(), const_cast<const char**>(options.data())); // NOLINT
    if (server->context_ == nullptr) return cannot_listen(address, EADDRINUSE);
    mg_server_port chosen{};
    if (mg_get_server_ports(server->context_, 1, &chosen) == 1)
        server->address_.port = static_cast<std::uint16_t>(chosen.port);
    return server;
}

WebServer::~WebServer() {
    if (context_ != nullptr) mg_stop(context_);
}

int WebServer::on_request(mg_connection* connection) {
    const auto* server = static_cast<const WebServer*>(mg_get_request_info(connection)->user_data);
    try {
        server->answer(connection);
    } catch (const std::exception&) {
        // Out of memory: the connection is closed without an answer.
    }
    return 200; // for the library's own log
}

void WebServer::answer(mg_connection* connection) const {
    const mg_request_info& request = *mg_get_request_info(connection);
    const std::string_view method = request.request_method;
    const char* host = mg_get_header(connection, "Host");
    if (address_.is_loopback() && !is_local_host_header(host == nullptr ? "" : host))
        return send(connection, "403 Forbidden", plain,
                    "This server is for this host only: name it by its address or as localhost.\n");
    if (method != "GET" && method != "HEAD")
        return send(connection, "405 Method Not Allowed", plain, "Only GET and HEAD.\n",
                    "Allow: GET, HEAD\r\n");
    const auto found = handler_(request.local_uri == nullptr ? "" : request.local_uri);
    if (!found) return send(connection, "404 Not Found", plain, "There are / and /metrics.\n");
    send(connection, "200 OK", found->content_type, *found->body);
}

} // namespace qg::cli
