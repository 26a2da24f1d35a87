// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/het_submission.hpp"

#include <boost/test/unit_test.hpp>

#include <thread>

using qg::plugin::HetSubmission;

namespace {

constexpr std::uint32_t ana = 1000, ben = 1001;

struct HetSetup {
    /// Whether the components before this one are known.
    bool knows(std::uint32_t offset, std::uint32_t user = ana) {
        return HetSubmission::Turn(submission, offset, user).parts() != nullptr;
    }

    HetSubmission submission;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(het_submission, HetSetup)

BOOST_AUTO_TEST_CASE(the_parts_of_a_job_are_known_one_after_the_other) {
    BOOST_TEST(knows(0));
    BOOST_TEST(knows(1));
    BOOST_TEST(knows(2));
    BOOST_TEST(knows(0)); // the next job
    BOOST_TEST(knows(1));
}

BOOST_AUTO_TEST_CASE(a_part_that_does_not_follow_is_not_known_nor_are_those_behind_it) {
    BOOST_TEST(!knows(1)); // no job has started yet
    BOOST_TEST(knows(0));
    BOOST_TEST(!knows(2));
    BOOST_TEST(!knows(1));
    BOOST_TEST(!knows(3));
    BOOST_TEST(knows(0));
    BOOST_TEST(knows(1));
    BOOST_TEST(!knows(1)); // again
}

BOOST_AUTO_TEST_CASE(a_part_of_another_user_or_thread_does_not_follow) {
    BOOST_TEST(knows(0, ana));
    BOOST_TEST(!knows(1, ben));
    BOOST_TEST(!knows(1, ana));

    BOOST_TEST(knows(0));
    bool in_other_thread = true;
    std::thread([&] { in_other_thread = knows(1); }).join();
    BOOST_TEST(!in_other_thread);
    BOOST_TEST(!knows(1));
}

BOOST_AUTO_TEST_CASE(nobody_waits_while_a_part_is_decided_about) {
    HetSubmission::Turn first(submission, 0, ana);
    BOOST_TEST(first.parts() != nullptr);
    // In its own thread: if a lock were held, the call would never return.
    bool was_known = false;
    std::thread([&] { was_known = knows(0, ana); }).join();
    BOOST_TEST(was_known);
}

BOOST_AUTO_TEST_CASE(of_two_jobs_at_once_no_parts_get_into_the_other) {
    qg::gate::HetParts* parts = nullptr;
    {
        HetSubmission::Turn first(submission, 0, ana);
        parts = first.parts();
        HetSubmission::Turn second(submission, 0, ben);
        BOOST_TEST(second.parts() != nullptr);
        BOOST_TEST(second.parts() != parts);
    } // the second is back first, and is the later one
    BOOST_TEST(!knows(1, ana));
    BOOST_TEST(!knows(1, ben)); // ana's component came in between

    {
        HetSubmission::Turn first(submission, 0, ana);
        HetSubmission::Turn second(submission, 0, ben);
    }
    BOOST_TEST(knows(1, ben));
    BOOST_TEST(!knows(1, ana));
}

BOOST_AUTO_TEST_CASE(a_look_changes_nothing) {
    BOOST_TEST(knows(0, ben));
    BOOST_TEST(submission.look(0, ana).has_value()); // ana's job has no parts before this one
    BOOST_TEST(!submission.look(1, ana).has_value());
    BOOST_TEST(submission.look(1, ben).has_value());
    BOOST_TEST(!submission.look(2, ben).has_value());
    BOOST_TEST(knows(1, ben));

    HetSubmission::Turn turn(submission, 2, ben);
    BOOST_TEST(turn.parts() != nullptr);
    BOOST_TEST(submission.look(0, ana).has_value());
    BOOST_TEST(!submission.look(3, ben).has_value()); // the part before it is not decided about
}

BOOST_AUTO_TEST_SUITE_END()
