// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/process_start.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <thread>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using qg::process_age;
using qg::process_start;

namespace {

/// A child that waits to be killed; nobody has waited for it when it is gone.
pid_t start_child() {
    const pid_t child = fork();
    if (child == 0) {
        // What stands behind the name in /proc is found whatever the name.
        prctl(PR_SET_NAME, "a) Z 1 2 3");
        for (;;)
            pause();
    }
    return child;
}

} // namespace

BOOST_AUTO_TEST_SUITE(start_of_a_process)

BOOST_AUTO_TEST_CASE(a_process_has_one_and_a_later_one_has_a_later_one) {
    const auto own = process_start(getpid());
    BOOST_TEST_REQUIRE(own.has_value());
    BOOST_TEST(process_start(getpid()) == own);
    std::this_thread::sleep_for(std::chrono::milliseconds(30)); // some ticks
    const pid_t child = start_child();
    const auto later = process_start(child);
    kill(child, SIGKILL);
    BOOST_TEST_REQUIRE(later.has_value());
    BOOST_TEST(*later > *own);
    waitpid(child, nullptr, 0);
}

BOOST_AUTO_TEST_CASE(its_age_is_the_time_since_then) {
    const pid_t child = start_child();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const auto younger = process_age(child);
    const auto own = process_age(getpid());
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    BOOST_TEST_REQUIRE(younger.has_value());
    BOOST_TEST_REQUIRE(own.has_value());
    BOOST_TEST(younger->count() >= 90); // its start is known to a tick of 10 ms
    BOOST_TEST(younger->count() < 60'000);
    BOOST_TEST(own->count() >= younger->count());
}

BOOST_AUTO_TEST_CASE(one_that_has_ended_has_none) {
    const pid_t child = start_child();
    kill(child, SIGKILL);
    siginfo_t info;
    BOOST_TEST_REQUIRE(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
    BOOST_TEST(!process_start(child).has_value()); // it is there still, for its parent
    waitpid(child, nullptr, 0);
    BOOST_TEST(!process_start(child).has_value());
    BOOST_TEST(!process_age(child).has_value());
    BOOST_TEST(!process_start(0).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
