// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/detached_thread.hpp"

#include "support/looks_until_over.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <memory>

#include <pthread.h>

using namespace qg;
using namespace qg::test;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(detached_thread)

BOOST_AUTO_TEST_CASE(ends_when_it_is_asked_to) {
    const auto turns = std::make_shared<std::atomic<int>>(0);
    DetachedThread thread;
    thread.start("test", [turns](DetachedThread::Link& owner) {
        do
            ++*turns;
        while (owner.wait_for(1ms));
    });

    BOOST_TEST(thread.stop(10s));
    const int ended_at = *turns;
    BOOST_TEST(ended_at >= 1);
    BOOST_TEST(thread.stop(0ms)); // and may be stopped again
}

BOOST_AUTO_TEST_CASE(is_waited_for_only_so_long_when_it_hangs) {
    const auto release = std::make_shared<std::promise<void>>();
    const auto ended = std::make_shared<std::promise<void>>();
    DetachedThread thread;
    thread.start("test", [release, ended](DetachedThread::Link&) {
        release->get_future().wait();
        ended->set_value();
    });
    bool has_ended = true;

    BOOST_TEST(looks_until_over([&] { has_ended = thread.stop(50ms); }) < 100);

    BOOST_TEST(!has_ended);
    release->set_value();
    BOOST_TEST(ended->get_future().wait_for(10s) == std::future_status::ready);
}

BOOST_AUTO_TEST_CASE(sleeps_until_it_is_woken) {
    const auto woken = std::make_shared<std::promise<void>>();
    DetachedThread thread;
    thread.start("test", [woken](DetachedThread::Link& owner) {
        if (owner.wait_for(1h)) woken->set_value();
    });

    thread.wake();

    BOOST_TEST(woken->get_future().wait_for(10s) == std::future_status::ready);
}

BOOST_AUTO_TEST_CASE(has_ended_where_it_never_began) {
    DetachedThread thread;

    BOOST_TEST(thread.stop(0ms));
}

BOOST_AUTO_TEST_CASE(takes_no_signals_and_leaves_its_creator_s_mask_alone) {
    const auto mask = std::make_shared<std::promise<sigset_t>>();
    DetachedThread thread;
    thread.start("test", [mask](DetachedThread::Link&) {
        sigset_t blocked;
        pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
        mask->set_value(blocked);
    });

    const sigset_t blocked = mask->get_future().get();

    sigset_t own;
    pthread_sigmask(SIG_SETMASK, nullptr, &own);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGCHLD}) {
        BOOST_TEST(sigismember(&blocked, signal) == 1);
        BOOST_TEST(sigismember(&own, signal) == 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
