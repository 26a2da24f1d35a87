// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/exception_boundary.hpp"

#include "fake_host.hpp"

#include <boost/test/unit_test.hpp>

#include <new>
#include <stdexcept>

using qg::plugin::guarded;
using qg::test::take_log;

namespace {
constexpr int refused = 2002;
int refuse() {
    return refused;
}
} // namespace

BOOST_AUTO_TEST_SUITE(exception_boundary)

BOOST_AUTO_TEST_CASE(hands_on_what_the_work_returns_and_logs_nothing) {
    BOOST_TEST(guarded(
                   "job_submit", [] { return 7; }, refuse) == 7);
    BOOST_TEST(take_log().empty());
}

BOOST_AUTO_TEST_CASE(answers_with_the_fallback_for_any_exception) {
    const auto fails_with = [](auto thrown) {
        return guarded(
            "job_submit", [&]() -> int { throw thrown; }, refuse);
    };

    BOOST_TEST(fails_with(std::runtime_error("out of luck")) == refused);
    BOOST_TEST(fails_with(std::bad_alloc()) == refused);
    BOOST_TEST(fails_with(qg::InternalError("check failed")) == refused);
    BOOST_TEST(fails_with(42) == refused);
    BOOST_TEST(take_log().size() == 4u);
}

BOOST_AUTO_TEST_CASE(logs_entry_and_cause) {
    guarded("job_modify", []() -> int { throw std::runtime_error("out of luck"); });

    const auto log = take_log();
    BOOST_TEST_REQUIRE(log.size() == 1u);
    BOOST_TEST(log[0] == "error: job_submit/qosgate: job_modify: failed: out of luck");
}

BOOST_AUTO_TEST_CASE(tells_a_bug_from_a_failure) {
    guarded("init", []() -> int {
        QG_CHECK(1 + 1 == 3);
        return 0;
    });

    const auto log = take_log();
    BOOST_TEST_REQUIRE(log.size() == 1u);
    BOOST_TEST(log[0].find("init: a bug, please report it: ") != std::string::npos);
    BOOST_TEST(log[0].find("1 + 1 == 3") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(goes_on_where_the_fallback_fails_too) {
    const auto fail = []() -> int { throw std::bad_alloc(); };

    BOOST_TEST(guarded("job_submit", fail, fail) == 0);
    BOOST_TEST(take_log().size() == 2u);
}

BOOST_AUTO_TEST_CASE(text_of_an_exception_is_never_a_format) {
    guarded("init", []() -> int { throw std::runtime_error("%s%n%p"); });

    BOOST_TEST(take_log().at(0) == "error: job_submit/qosgate: init: failed: %s%n%p");
}

BOOST_AUTO_TEST_CASE(cuts_a_text_that_is_too_long) {
    guarded("init", []() -> int { throw std::runtime_error(std::string(100000, 'x')); });

    const std::string begin = "init: failed: ";
    BOOST_TEST(take_log().at(0) ==
               "error: job_submit/qosgate: " + begin + std::string(1023 - begin.size(), 'x'));
}

BOOST_AUTO_TEST_SUITE_END()
