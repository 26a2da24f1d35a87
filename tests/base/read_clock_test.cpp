// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/read_clock.hpp"

#include <chrono>
#include <thread>

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(read_clock_module)

BOOST_AUTO_TEST_CASE(the_coarse_clock_runs_beside_the_precise_one) {
    const auto precise = std::chrono::steady_clock::now();
    const auto coarse = CoarseClock::now();
    BOOST_TEST(coarse.time_since_epoch() > 0ns);
    std::this_thread::sleep_for(100ms);
    const auto coarse_passed = CoarseClock::now() - coarse;
    const auto precise_passed = std::chrono::steady_clock::now() - precise;
    // A tick takes at most 10 ms.
    BOOST_TEST(coarse_passed >= 90ms);
    BOOST_TEST(coarse_passed <= precise_passed + 10ms);
}

BOOST_AUTO_TEST_SUITE_END()
