// SPDX-License-Identifier: GPL-2.0-or-later
//
// The server of `qosgate exporter` (contrib/qosgate/exporter), with real sockets: what it answers, and that
// no client keeps out another.
#include "exporter/web_server.hpp"

#include "support/comes_true.hpp"
#include "support/looks_until_over.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <deque>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace qg;
using namespace qg::test;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

const std::string get_metrics = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Waits in looks of 50 ms, which take longer where the machine is busy.
class Client {
  public:
    /// More than what does not hang needs: a minute.
    static constexpr int many_looks = 1200;

    explicit Client(std::uint16_t port)
        : socket_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
        int problem =
            connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
        if (problem == EINPROGRESS) {
            while (!look_for(POLLOUT))
                BOOST_TEST_REQUIRE(looks_ < many_looks);
            socklen_t size = sizeof problem;
            getsockopt(socket_, SOL_SOCKET, SO_ERROR, &problem, &size);
        }
        BOOST_TEST_REQUIRE(problem == 0);
    }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    ~Client() { close(socket_); }

    /// Whether it was taken; after the server has closed the connection, it is not for long.
    bool send(const std::string& text) const {
        return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
    }

    /// Everything until the server closes the connection, or so many looks are in vain; sends `trickle` after
    /// each of them.
    std::string receive(int patience = many_looks, const std::string& trickle = "") {
        std::string all;
        std::array<char, 65536> buffer{};
        for (const int end = looks_ + patience; looks_ < end;) {
            if (look_for(POLLIN)) {
                const ssize_t got = recv(socket_, buffer.data(), buffer.size(), 0);
                was_closed_ = got <= 0;
                if (was_closed_) return all;
                all.append(buffer.data(), static_cast<std::size_t>(got));
            } else if (!trickle.empty()) {
                send(trickle);
            }
        }
        return all;
    }

    bool was_closed() const { return was_closed_; }
    /// All that were in vain.
    int looks() const { return looks_; }

  private:
    bool look_for(short event) {
        pollfd wanted{.fd = socket_, .events = event, .revents = 0};
        const bool is_there = poll(&wanted, 1, 50) > 0;
        if (!is_there) ++looks_;
        return is_there;
    }

    int socket_;
    int looks_ = 0;
    bool was_closed_ = false;
};

struct ServerSetup {
    std::string body = "hello\n";
    std::unique_ptr<cli::WebServer> server =
        cli::WebServer::start(
            cli::ListenAddress::parse("127.0.0.1:0").value(),
            [this](std::string_view path) -> std::optional<cli::WebAnswer> {
                if (path != "/metrics") return std::nullopt;
                return cli::WebAnswer{"text/plain", std::make_shared<const std::string>(body)};
            })
            .value();

    std::uint16_t port() const { return server->address().port; }

    /// An answer that is there within so many looks.
    std::string ask(const std::string& request, int most_looks = Client::many_looks) const {
        Client client(port());
        client.send(request);
        std::string answer = client.receive();
        BOOST_TEST(client.was_closed());
        BOOST_TEST(client.looks() < most_looks);
        return answer;
    }

    /// Nobody else holds up a scrape.
    void check_scrapes() const {
        for (int turn = 0; turn < 5; ++turn)
            BOOST_TEST(ask(get_metrics, 40).ends_with("\r\n\r\nhello\n"));
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(web_server)

BOOST_FIXTURE_TEST_CASE(requests_that_are_not_understood, ServerSetup) {
    for (const char* bad :
         {"garbage\r\n\r\n", "GET\r\n\r\n", "GET metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
          "GET /metrics HTTP/1.1\r\n\r\n", // a request of HTTP/1.1 names a host
          "GET /metrics HTTP/1.1\r\nHost\r\n\r\n",
          "GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
          "GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"}) {
        const std::string answer = ask(bad);
        BOOST_TEST(answer.find("hello") == std::string::npos, bad);
        const bool is_refused = answer.empty() || answer.starts_with("HTTP/1.1 40");
        BOOST_TEST(is_refused, bad);
    }
}

BOOST_FIXTURE_TEST_CASE(answers, ServerSetup) {
    BOOST_TEST(ask(get_metrics).starts_with("HTTP/1.1 200 OK\r\n"));
    BOOST_TEST(ask("GET /metrics?a HTTP/1.0\r\n\r\n").ends_with("\r\n\r\nhello\n"));
    const std::string head = ask("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    BOOST_TEST(head.ends_with("\r\n\r\n"));
    BOOST_TEST(head.find("Content-Length: 6\r\n") != std::string::npos);
    BOOST_TEST(ask("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n").starts_with("HTTP/1.1 404 "));
    BOOST_TEST(ask("PUT /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").starts_with("HTTP/1.1 405 "));
    BOOST_TEST(ask("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n").starts_with("HTTP/1.1 403 "));
}

BOOST_FIXTURE_TEST_CASE(a_connection_has_one_answer, ServerSetup) {
    const std::string answer = ask(get_metrics + get_metrics);

    BOOST_TEST(answer.find("HTTP/1.1", 1) == std::string::npos);
    BOOST_TEST(answer.ends_with("\r\n\r\nhello\n"));
}

BOOST_FIXTURE_TEST_CASE(a_large_answer_comes_whole, ServerSetup) {
    body = std::string(20'000'000, 'x') + "end";

    const std::string answer = ask(get_metrics);
    BOOST_TEST(answer.size() > body.size());
    BOOST_TEST(answer.ends_with("xend"));
}

BOOST_FIXTURE_TEST_CASE(the_head_of_a_request_is_bounded, ServerSetup) {
    const auto request = [](std::size_t size) {
        return "GET /metrics HTTP/1.0\r\nX: " + std::string(size, 'x') + "\r\n\r\n";
    };

    BOOST_TEST(ask(request(8000)).starts_with("HTTP/1.1 200 "));
    BOOST_TEST(ask(request(cli::WebBounds().memory)).starts_with("HTTP/1.1 431 "));
    BOOST_TEST(ask(request(10'000'000)).find("hello") == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_body_that_does_not_end_is_not_waited_for, ServerSetup) {
    for (const auto& [request, trickle, status] :
         {std::tuple("POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n", "x",
                     "HTTP/1.1 405 "),
          std::tuple("GET /metrics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
                     "1\r\nx\r\n", "HTTP/1.1 200 ")}) {
        std::deque<Client> clients;
        for (int i = 0; i < 100; ++i)
            clients.emplace_back(port()).send(request);

        // The server waits a second for the client to close: 20 looks.
        const std::string answer = clients.back().receive(60, trickle);
        BOOST_TEST(answer.starts_with(status));
        BOOST_TEST(clients.back().was_closed());
        check_scrapes();
    }
}

BOOST_FIXTURE_TEST_CASE(a_head_that_does_not_end_is_not_waited_for, ServerSetup) {
    Client client(port());
    client.send("GET /metrics HTTP/1.1\r\n");

    BOOST_TEST(client.receive(60, "x").empty());
    BOOST_TEST(client.was_closed());
}

BOOST_FIXTURE_TEST_CASE(connections_that_ask_for_nothing_keep_nobody_out, ServerSetup) {
    std::deque<Client> idle;
    for (const int count : {100, 300}) {
        for (int i = 0; i < count; ++i)
            idle.emplace_back(port());
        check_scrapes();
    }
}

BOOST_FIXTURE_TEST_CASE(clients_that_come_back_at_once_keep_nobody_out, ServerSetup) {
    std::atomic<bool> ends = false;
    std::atomic<int> sent = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            std::deque<Client> clients;
            while (!ends) {
                clients.emplace_back(port()).send("G");
                ++sent;
                if (clients.size() > 50) clients.pop_front();
                std::this_thread::sleep_for(1ms);
            }
        });
    BOOST_TEST(comes_true([&] { return sent > 400; })); // each thread has replaced some
    check_scrapes();
    ends = true;
    for (std::thread& thread : threads)
        thread.join();
}

BOOST_FIXTURE_TEST_CASE(it_ends_while_clients_are_connected, ServerSetup) {
    body = std::string(20'000'000, 'x');
    Client idle(port());
    Client slow(port());
    slow.send(get_metrics);

    BOOST_TEST(looks_until_over([&] { server.reset(); }) < 20);
}

BOOST_FIXTURE_TEST_CASE(an_address_in_use_is_an_error, ServerSetup) {
    const auto second = cli::WebServer::start(server->address(), nullptr);

    BOOST_TEST_REQUIRE(!second);
    BOOST_TEST(second.error().message.find("name another port with --listen") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_client_that_does_not_read_is_dropped) {
    const std::string body(20'000'000, 'x');
    std::atomic<bool> is_freed = false;
    const auto server =
        cli::WebServer::start(cli::ListenAddress::parse("127.0.0.1:0").value(),
                              [&](std::string_view) {
                                  return cli::WebAnswer{"text/plain",
                                                        {new std::string(body), [&](const std::string* text) {
                                                             delete text;
                                                             is_freed = true;
                                                         }}};
                              },
                              {.total_time = 500ms})
            .value();
    Client client(server->address().port);
    client.send(get_metrics);

    BOOST_TEST(comes_true([&] { return is_freed.load(); }));
    const std::string got = client.receive();
    BOOST_TEST(client.was_closed());
    BOOST_TEST(got.starts_with("HTTP/1.1 200 OK\r\n"));
    BOOST_TEST(got.size() < body.size());
}

BOOST_AUTO_TEST_SUITE_END()
