// SPDX-License-Identifier: GPL-2.0-or-later
//
// When the exporter reads the cluster, and what it serves of readings that fail or hang
// (contrib/qosgate/exporter/collector.hpp).
#include "exporter/collector.hpp"

#include "exporter_cases.hpp"
#include "support/comes_true.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

using namespace qg;
using namespace qg::test;

BOOST_AUTO_TEST_SUITE(collector)

BOOST_AUTO_TEST_CASE(a_failed_reading_repeats_nothing_and_the_next_one_is_served_again) {
    std::atomic<bool> is_away = false;
    std::atomic<int> notes = 0;
    cli::Collector collector({.read_cluster = [&]() -> Result<std::shared_ptr<const cli::ClusterState>> {
                                  if (is_away) return Error{ErrorCode::unavailable, "no slurmctld"};
                                  return std::make_shared<const cli::ClusterState>(gold());
                              },
                              .read_gate = [] { return Result<cli::GateReport>(cli::GateReport()); },
                              .note = [&](const std::string&) { ++notes; }},
                             {.interval = std::chrono::seconds(1)});
    const auto wait_for = [&](const char* text) {
        BOOST_TEST_REQUIRE(comes_true([&] { return has(*collector.metrics(), text); }), text);
    };
    BOOST_TEST(has(*collector.metrics(), "qosgate_up 0"));

    collector.start();
    wait_for("qosgate_up 1");
    BOOST_TEST(has(*collector.page(), "gold"));
    is_away = true;
    wait_for("qosgate_up 0");
    BOOST_TEST(!has(*collector.metrics(), "gold"));
    BOOST_TEST(has(*collector.metrics(), "qosgate_exporter_reading_failures_total 1"));
    BOOST_TEST(!has(*collector.page(), "gold"));
    BOOST_TEST(has(*collector.page(), "no slurmctld"));
    is_away = false;
    wait_for("qosgate_up 1");
    BOOST_TEST(collector.stop(std::chrono::seconds(5)));
    BOOST_TEST(notes == 3);
}

BOOST_AUTO_TEST_CASE(a_reading_that_hangs_ends_what_is_told) {
    const auto ends = std::make_shared<std::atomic<bool>>(false);
    const auto readings = std::make_shared<std::atomic<int>>(0);
    cli::Collector collector({.read_cluster = [=]() -> Result<std::shared_ptr<const cli::ClusterState>> {
                                  if (++*readings > 1)
                                      while (!*ends)
                                          std::this_thread::sleep_for(std::chrono::milliseconds(10));
                                  return std::make_shared<const cli::ClusterState>(gold());
                              },
                              .read_gate = [] { return Result<cli::GateReport>(cli::GateReport()); },
                              .note = [](const std::string&) {}},
                             {.interval = std::chrono::seconds(1)});
    const auto may_be_shown = [&] {
        return has(*collector.metrics(), "gold") && has(*collector.page(), "gold");
    };

    collector.start();
    BOOST_TEST_REQUIRE(comes_true([&] { return *readings >= 2; }));
    BOOST_TEST(may_be_shown());
    BOOST_TEST(comes_true([&] { return !may_be_shown(); }));
    BOOST_TEST(has(*collector.metrics(), "qosgate_up 0"));
    BOOST_TEST(has(*collector.metrics(), "qosgate_exporter_readings_total 2"));
    BOOST_TEST(has(*collector.metrics(), "qosgate_exporter_reading_failures_total 1"));
    BOOST_TEST(!collector.stop(std::chrono::milliseconds(50)));
    *ends = true;
    BOOST_TEST(collector.stop(std::chrono::seconds(5)));
}

BOOST_AUTO_TEST_SUITE_END()
