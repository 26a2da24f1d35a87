// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/listening.hpp"

#include "qosgate/base/scope_exit.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using qg::ScopeExit;
using qg::plugin::listens_on;

BOOST_AUTO_TEST_SUITE(listening)

BOOST_AUTO_TEST_CASE(a_bound_socket_counts_once_it_listens) {
    const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    const ScopeExit closed([descriptor] { close(descriptor); });
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    BOOST_TEST_REQUIRE(bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) == 0);
    BOOST_TEST_REQUIRE(getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    const std::uint32_t port = ntohs(address.sin_port);

    BOOST_TEST(!listens_on(port, 1));
    BOOST_TEST_REQUIRE(listen(descriptor, 1) == 0);

    BOOST_TEST(listens_on(port, 1));
    BOOST_TEST(listens_on(port - 3, 4));
    BOOST_TEST(!listens_on(port - 3, 3));
    BOOST_TEST(!listens_on(port + 1, 9));
}

BOOST_AUTO_TEST_CASE(the_number_of_the_descriptor_does_not_matter) {
    const int low = socket(AF_INET, SOCK_STREAM, 0);
    const int descriptor = fcntl(low, F_DUPFD_CLOEXEC, 700);
    close(low);
    BOOST_TEST_REQUIRE(descriptor >= 700);
    const ScopeExit closed([descriptor] { close(descriptor); });
    BOOST_TEST_REQUIRE(listen(descriptor, 1) == 0); // on any free port
    sockaddr_in address{};
    socklen_t size = sizeof address;
    BOOST_TEST_REQUIRE(getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0);

    BOOST_TEST(listens_on(ntohs(address.sin_port), 1));
}

BOOST_AUTO_TEST_SUITE_END()
