// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/connection.hpp"

#include "fake_slurmdbd.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::slurmdb;
using namespace std::chrono_literals;
using qg::test::FakeSlurmdbd;
using qg::test::TemporaryDirectory;

namespace {

/// A slurm.conf that libslurm takes, for a slurmdbd on this machine. auth/none: no munge is needed.
std::string conf_text(std::uint16_t port) {
    return "ClusterName=test\nSlurmctldHost=localhost\nAuthType=auth/none\n"
           "AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=127.0.0.1\n"
           "AccountingStoragePort=" +
           std::to_string(port) + "\nNodeName=n1\nPartitionName=p Nodes=n1\n";
}

Result<std::unique_ptr<Session>> open_session(const std::filesystem::path& conf) {
    setenv("SLURM_CONF", conf.c_str(), 1);
    auto session = Session::open(1s);
    unsetenv("SLURM_CONF");
    return session;
}

} // namespace

BOOST_AUTO_TEST_SUITE(connection)

BOOST_AUTO_TEST_CASE(a_session_needs_slurmdbd_in_the_configuration) {
    const TemporaryDirectory directory;

    const auto unset = open_session(directory.write("slurm.conf", "ClusterName=test\n"));
    const auto other =
        open_session(directory.write("b.conf", "AccountingStorageType=accounting_storage/none\n"));

    BOOST_TEST(unset.error().code == ErrorCode::unsupported);
    BOOST_TEST(unset.error().message.find("AccountingStorageType is not set") != std::string::npos);
    BOOST_TEST(other.error().message.find("AccountingStorageType is accounting_storage/none") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_configuration_that_ends_the_library_does_not_end_the_process) {
    const TemporaryDirectory directory;

    const auto session = open_session(directory.write("slurm.conf", conf_text(1) + "NoSuchSetting=1\n"));

    BOOST_TEST_REQUIRE(!session.has_value());
    BOOST_TEST(session.error().code == ErrorCode::unavailable);
    BOOST_TEST(session.error().message.find("NoSuchSetting") != std::string::npos);
}

// One session serves all three: a process starts Slurm's library only once.
BOOST_AUTO_TEST_CASE(a_slurmdbd_that_fails_is_unavailable_and_the_process_lives) {
    const TemporaryDirectory directory;
    auto server = std::make_unique<FakeSlurmdbd>(FakeSlurmdbd::Manner::hangs_up);
    const std::uint16_t port = server->port();
    const auto session = open_session(directory.write("slurm.conf", conf_text(port))).value();

    BOOST_TEST_CONTEXT("it hangs up") {
        const auto connection = Connection::open(*session);
        BOOST_TEST_REQUIRE(!connection.has_value());
        BOOST_TEST(connection.error().code == ErrorCode::unavailable);
        BOOST_TEST(server->connections() > 0);
    }
    server.reset();
    BOOST_TEST_CONTEXT("nothing listens") {
        const auto connection = Connection::open(*session);
        BOOST_TEST_REQUIRE(!connection.has_value());
        BOOST_TEST(connection.error().code == ErrorCode::unavailable);
        BOOST_TEST(connection.error().message.find("is slurmdbd running?") != std::string::npos);
    }
    server = std::make_unique<FakeSlurmdbd>(FakeSlurmdbd::Manner::is_silent, port);
    BOOST_TEST_CONTEXT("it does not answer") {
        const auto start = std::chrono::steady_clock::now();
        const auto connection = Connection::open(*session);
        BOOST_TEST_REQUIRE(!connection.has_value());
        BOOST_TEST(connection.error().code == ErrorCode::unavailable);
        BOOST_TEST(connection.error().message.find("no answer within 1 s") != std::string::npos);
        BOOST_TEST((std::chrono::steady_clock::now() - start) < 5s);
    }
}

BOOST_AUTO_TEST_SUITE_END()
