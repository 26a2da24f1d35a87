// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/other_reasons.hpp"

#include "qosgate/limits/catalogue.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::limits;
using Reasons = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(other_reasons_of_slurm)

BOOST_AUTO_TEST_CASE(every_row_is_said_in_sentences_and_once) {
    for (const OtherReason& row : other_reasons())
        BOOST_TEST_CONTEXT(row.reason) {
            for (std::string_view sentence : {row.meaning, row.waiting, row.change})
                BOOST_TEST(sentence.ends_with('.'));
            BOOST_TEST(find_other_reason(row.reason) == &row);
            BOOST_TEST(find_reason(row.reason).empty());
        }
}

BOOST_AUTO_TEST_CASE(some_rows_promise_that_the_job_starts) {
    for (const char* promising :
         {"BeginTime", "Resources", "Priority", "Dependency", "PartitionDown", "Cleaning"})
        BOOST_TEST(find_other_reason(promising)->promises_start(), promising);
    for (const char* other : {"JobHeldUser", "JobHeldAdmin", "DependencyNeverSatisfied", "PartitionTimeLimit",
                              "BadConstraints", "TimeLimit"})
        BOOST_TEST(!find_other_reason(other)->promises_start(), other);
}

BOOST_AUTO_TEST_CASE(case_does_not_matter_and_the_rest_does) {
    BOOST_TEST(find_other_reason("partitiontimelimit") != nullptr);
    BOOST_TEST(find_other_reason("PartitionTime") == nullptr);
    BOOST_TEST(find_other_reason("") == nullptr);
}

BOOST_AUTO_TEST_CASE(every_row_is_found_in_a_text_that_shows_it) {
    for (const OtherReason& row : other_reasons())
        BOOST_TEST(reasons_in(row.reason) == Reasons{std::string(row.reason)},
                   boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_squeue_shows_is_read_with_its_details) {
    const Reasons expected{"ReqNodeNotAvail", "UnavailableNodes", "Priority"};

    BOOST_TEST(reasons_in("(ReqNodeNotAvail, UnavailableNodes:n[1-3],n7) (Priority)\n(priority)") == expected,
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_text_of_several_words_is_one_reason) {
    const Reasons expected{
        "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"};

    BOOST_TEST(reasons_in("(Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority "
                          "partitions)") == expected,
               boost::test_tools::per_element());
    BOOST_TEST(reasons_in("Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved_for_jobs_in_higher_priority_"
                          "partitions") == expected,
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(words_that_are_no_reason_stay_words) {
    const Reasons expected{"launch", "failed", "Nonsense"};

    BOOST_TEST(reasons_in("launch failed, Nonsense") == expected, boost::test_tools::per_element());
    BOOST_TEST(reasons_in(" ((,)) :x ").empty());
    const Reasons of_partition{"QOSNotAllowed", "Priority", "AccountNotAllowed"};
    BOOST_TEST(
        reasons_in(
            "Job's QOS not permitted to use this partition (main allows q1,Resources not q2) Priority\n"
            "Job's account not permitted to use this partition (side denies") == of_partition,
        boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
