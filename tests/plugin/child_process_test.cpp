// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/child_process.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace qg::plugin;
using namespace std::chrono_literals;

namespace {

/// The answer; empty if there was none in time.
std::optional<std::string> answer_of(std::chrono::milliseconds deadline,
                                     const std::function<std::string(ChildLine&)>& work) {
    const ChildResult result = run_in_child(deadline, work);
    return result.end == ChildEnd::answered ? std::optional(result.bytes) : std::nullopt;
}

int end_of(std::chrono::milliseconds deadline, const std::function<std::string(ChildLine&)>& work) {
    return static_cast<int>(run_in_child(deadline, work).end);
}

/// No process is left that this one would have to wait for.
bool has_no_children() {
    return waitpid(-1, nullptr, WNOHANG) < 0;
}

} // namespace

BOOST_AUTO_TEST_SUITE(child_process)

BOOST_AUTO_TEST_CASE(what_the_work_returns_comes_back) {
    BOOST_TEST(answer_of(10s, [](ChildLine& /*line*/) { return std::string("done\0too", 8); }).value() ==
               std::string("done\0too", 8));
    BOOST_TEST(answer_of(10s, [](ChildLine& /*line*/) { return std::string(); }).value() == "");
    BOOST_TEST(answer_of(10s, [](ChildLine& /*line*/) { return std::string(500'000, 'x'); }).value().size() ==
               500'000);
    BOOST_TEST(has_no_children());
}

BOOST_AUTO_TEST_CASE(too_much_is_nothing) {
    BOOST_TEST(!answer_of(10s, [](ChildLine& /*line*/) { return std::string(9'000'000, 'x'); }).has_value());
    BOOST_TEST(has_no_children());
}

BOOST_AUTO_TEST_CASE(the_caller_goes_on_whatever_the_work_does) {
    BOOST_TEST(!answer_of(10s, [](ChildLine& /*line*/) -> std::string { std::abort(); }).has_value());
    BOOST_TEST(!answer_of(10s, [](ChildLine& /*line*/) -> std::string { throw std::runtime_error("no"); }));
    BOOST_TEST(has_no_children());
}

BOOST_AUTO_TEST_CASE(the_callers_handlers_do_not_run_in_the_child) {
    const auto own = std::signal(SIGUSR1, [](int) {});
    const auto ends_itself = [](ChildLine& /*line*/) -> std::string {
        raise(SIGUSR1);
        return "went on";
    };
    BOOST_TEST(end_of(10s, ends_itself) == static_cast<int>(ChildEnd::failed));
    std::signal(SIGUSR1, own);
}

BOOST_AUTO_TEST_CASE(work_that_takes_too_long_is_ended) {
    const auto forever = [](ChildLine& /*line*/) -> std::string {
        for (;;)
            std::this_thread::sleep_for(1s);
    };
    BOOST_TEST(end_of(50ms, forever) == static_cast<int>(ChildEnd::late));
    const auto ends = [](ChildLine& /*line*/) -> std::string { std::_Exit(0); };
    BOOST_TEST(end_of(10s, ends) == static_cast<int>(ChildEnd::failed));
    BOOST_TEST(has_no_children());
}

BOOST_AUTO_TEST_CASE(the_work_can_ask_for_more_time_or_less) {
    const auto slow = [](std::chrono::milliseconds allowed, std::chrono::milliseconds takes) {
        return [=](ChildLine& line) {
            line.allow(allowed);
            std::this_thread::sleep_for(takes);
            return std::string("done");
        };
    };
    BOOST_TEST(!answer_of(50ms, slow(50ms, 1h)).has_value());
    BOOST_TEST(answer_of(1s, slow(1h, 1200ms)).value_or("") == "done"); // a second: to ask in, however busy
    BOOST_TEST(!answer_of(1h, slow(50ms, 1h)).has_value());
}

BOOST_AUTO_TEST_CASE(what_was_sent_before_the_deadline_is_kept) {
    const ChildResult late = run_in_child(10s, [](ChildLine& line) -> std::string {
        line.allow(1s); // to send in, however busy the machine is
        line.send("first ");
        line.allow(60s); // too late
        line.send("second");
        std::this_thread::sleep_for(60s);
        return "third";
    });
    BOOST_TEST(static_cast<int>(late.end) == static_cast<int>(ChildEnd::late));
    BOOST_TEST(late.bytes == "first second");
    const auto all = [](ChildLine& line) {
        line.send("first ");
        return std::string("last");
    };
    BOOST_TEST(answer_of(10s, all).value_or("") == "first last");
}

BOOST_AUTO_TEST_CASE(it_writes_nothing_where_the_caller_writes) {
    std::array<int, 2> ends{};
    BOOST_TEST_REQUIRE(pipe(ends.data()) == 0);
    const int out = dup(STDOUT_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    const auto done = answer_of(10s, [](ChildLine& /*line*/) {
        const ssize_t count = write(STDOUT_FILENO, "noise", 5);
        return std::string(count == 5 ? "wrote" : "could not");
    });
    dup2(out, STDOUT_FILENO);
    close(out);
    close(ends[1]);
    char byte = 0;
    BOOST_TEST(read(ends[0], &byte, 1) == 0);
    close(ends[0]);
    BOOST_TEST(done.value_or("") == "wrote");
}

BOOST_AUTO_TEST_SUITE_END()
