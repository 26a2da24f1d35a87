// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/deadline.hpp"

#include "fake_slurmdbd.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::slurmdb;
using namespace std::chrono_literals;
using qg::test::FakeSlurmdbd;

namespace {

int connect_to(const FakeSlurmdbd& server) {
    const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    BOOST_TEST_REQUIRE(connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    return client;
}

} // namespace

BOOST_AUTO_TEST_SUITE(deadline)

BOOST_AUTO_TEST_CASE(ends_a_read_on_a_socket_opened_meanwhile) {
    const FakeSlurmdbd silent(FakeSlurmdbd::Manner::is_silent);
    const Deadline deadline(50ms);
    const int client = connect_to(silent);

    char byte = 0;
    BOOST_TEST(recv(client, &byte, 1, 0) == 0);

    BOOST_TEST(deadline.expired());
    close(client);
}

BOOST_AUTO_TEST_CASE(ends_a_read_on_the_connections_own_socket) {
    const FakeSlurmdbd silent(FakeSlurmdbd::Manner::is_silent);
    const SocketSet before = open_sockets();
    const int client = connect_to(silent);
    const Deadline deadline(50ms, new_sockets(before, open_sockets()));

    char byte = 0;
    BOOST_TEST(recv(client, &byte, 1, 0) == 0);

    BOOST_TEST(deadline.expired());
    close(client);
}

BOOST_AUTO_TEST_CASE(leaves_other_sockets_alone) {
    const FakeSlurmdbd silent(FakeSlurmdbd::Manner::is_silent);
    const int other = connect_to(silent);
    const Deadline deadline(20ms);

    const int own = connect_to(silent);

    char byte = 0;
    BOOST_TEST(recv(own, &byte, 1, 0) == 0); // until the deadline has looked at all
    BOOST_TEST(deadline.expired());
    BOOST_TEST(recv(other, &byte, 1, MSG_DONTWAIT) == -1);
    BOOST_TEST(errno == EAGAIN);
    close(own);
    close(other);
}

BOOST_AUTO_TEST_CASE(is_not_expired_before_its_time) {
    const Deadline deadline(1h);

    BOOST_TEST(!deadline.expired());
}

BOOST_AUTO_TEST_CASE(a_late_answer_is_said_once_and_an_early_one_is_not) {
    std::atomic<int> said{0};
    const auto say = [&said] { ++said; };

    { const Deadline early(1h, {}, {1h, say}); }
    BOOST_TEST(said == 0);
    {
        const Deadline late(1h, {}, {1ms, say});
        while (said == 0)
            std::this_thread::yield();
        BOOST_TEST(!late.expired());
    }
    const FakeSlurmdbd silent(FakeSlurmdbd::Manner::is_silent);
    const Deadline ended(30ms, {}, {1ms, say});
    const int client = connect_to(silent);
    char byte = 0;
    BOOST_TEST(recv(client, &byte, 1, 0) == 0); // for all of its time

    BOOST_TEST(said == 2); // by each of the two
    close(client);
}

BOOST_AUTO_TEST_CASE(a_notice_does_not_move_the_end) {
    const FakeSlurmdbd silent(FakeSlurmdbd::Manner::is_silent);
    const auto start = std::chrono::steady_clock::now();
    const Deadline deadline(60ms, {}, {30ms, [] {}});
    const int client = connect_to(silent);

    char byte = 0;
    BOOST_TEST(recv(client, &byte, 1, 0) == 0);

    BOOST_TEST((std::chrono::steady_clock::now() - start) >= 60ms);
    close(client);
}

BOOST_AUTO_TEST_CASE(a_descriptor_used_again_is_a_new_socket) {
    const FakeSlurmdbd silent(FakeSlurmdbd::Manner::is_silent);
    const int first = connect_to(silent);
    const SocketSet before = open_sockets();
    close(first);

    const int second = connect_to(silent);

    BOOST_TEST_REQUIRE(second == first);
    BOOST_TEST(new_sockets(before, open_sockets()).count(second) == 1u);
    close(second);
}

BOOST_AUTO_TEST_SUITE_END()
