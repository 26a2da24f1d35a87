// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the exporter listens, and which Host headers it answers
// (contrib/qosgate/exporter/listen_address.hpp).
#include "exporter/listen_address.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace qg;

BOOST_AUTO_TEST_SUITE(listen_address)

BOOST_AUTO_TEST_CASE(addresses) {
    for (const char* good : {"127.0.0.1:9817", "[::1]:9817", "0.0.0.0:0", "10.1.2.3:65535"})
        BOOST_TEST(cli::ListenAddress::parse(good).value().text() == good);
    BOOST_TEST(cli::ListenAddress::parse("localhost:1").value().text() == "127.0.0.1:1");
    for (const char* bad :
         {"", ":9817", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:x", "host:1", "::1:9817",
          "[::1]", "[127.0.0.1]:1", "[::1:1", "1.2.3:4", "127.0.0.1:1,2"})
        BOOST_TEST(!cli::ListenAddress::parse(bad), bad);
    BOOST_TEST(cli::ListenAddress::parse("127.0.0.1:1").value().is_loopback());
    BOOST_TEST(!cli::ListenAddress::parse("0.0.0.0:1").value().is_loopback());
}

BOOST_AUTO_TEST_CASE(hosts_that_a_loopback_server_answers_to) {
    for (const char* good : {"", "localhost", "LOCALHOST:9817", "127.0.0.1:9817", "[::1]:9817", "[::1]",
                             "127.0.0.2:9817", "192.0.2.1"}) // a web page with an address is on that host
        BOOST_TEST(cli::is_local_host_header(good), good);
    for (const char* bad : {"evil.example", "evil.example:9817", "localhost.evil.example",
                            "127.0.0.1.evil.example", "[::1", "[::1]x", "[::1]:", "[]", "[", ":9817",
                            "localhost:", "localhost:x", "127.0.0.1:981700", "127.0.0.1:9817:1"})
        BOOST_TEST(!cli::is_local_host_header(bad), bad);
    BOOST_TEST(!cli::is_local_host_header(std::string(5000, '1')));
}

BOOST_AUTO_TEST_SUITE_END()
