// SPDX-License-Identifier: GPL-2.0-or-later
//
// Advice on jobs that do not fit the nodes which --nodelist, --exclude and limits leave them.
#include "support/node_setup.hpp"

#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::JobRequest;
using model::Memory;
using model::TresLimit;

namespace {

struct NodeAdvice : test::NodeSetup {
    std::string advice() const {
        const auto decision = decide();
        BOOST_TEST(decision.reject == model::RejectCode::none); // it never refuses
        return text::join(decision.message, "\n");
    }

    /// The advice for the first value that is too much; there is none for `good`.
    template <typename Value>
    std::string beyond(Value JobRequest::*field, Value good, Value bad) {
        const Value before = std::exchange(request.*field, std::move(good));
        BOOST_TEST(advice() == "");
        request.*field = std::move(bad);
        std::string words = advice();
        request.*field = before;
        return words;
    }
    using Count = std::optional<std::uint32_t>;
    using Text = std::optional<std::string>;

    /// The advice for one more than these, which are not too many.
    std::string beyond_tasks(std::uint32_t most) {
        return beyond(&JobRequest::tasks, Count(most), Count(most + 1));
    }
    std::string beyond_cpus_per_task(std::uint32_t most) {
        return beyond(&JobRequest::cpus_per_task, Count(most), Count(most + 1));
    }
    std::string beyond_gpus(int most) {
        return beyond(&JobRequest::tres_per_job, Text("gres:gpu:" + std::to_string(most)),
                      Text("gres:gpu:" + std::to_string(most + 1)));
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(advice_nodes, NodeAdvice)

BOOST_AUTO_TEST_CASE(a_required_node_that_is_not_large_enough_is_told) {
    request.required_nodes = "a1,c1";
    const std::string c1 = "node c1 (--nodelist) has ";
    BOOST_TEST(beyond_cpus_per_task(4) == c1 + "4 CPUs; this job asks for 5");
    BOOST_TEST(beyond(&JobRequest::min_cpus_per_node, Count(4), Count(5)) ==
               c1 + "4 CPUs; this job asks for 5");
    BOOST_TEST(beyond(&JobRequest::memory, std::optional(Memory{8000}), std::optional(Memory{8001})) ==
               c1 + "8000M of memory; this job asks for 8001M");
    BOOST_TEST(beyond(&JobRequest::tres_per_node, Text(), Text("gres:gpu:1")) ==
               c1 + "no GPUs; this job asks for 1");
    BOOST_TEST(beyond(&JobRequest::tres_per_job, Text(), Text("gres:gpu:2")) ==
               c1 + "no GPUs; every node of this job must have some");
    BOOST_TEST(beyond(&JobRequest::features, Text(), Text("big")) ==
               "node c1 (--nodelist) does not have the features 'big'");
    request.required_nodes = "a1"; // the same with a node that is
    request.features = "big";
    request.tres_per_node = "gres:gpu:2";
    request.cpus_per_task = 5;
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(a_node_whose_gpus_have_no_model_has_none_of_the_model_asked_for) {
    for (model::NodeKind* b1 :
         {&node_table.kinds[1], &partitions[0].node_kinds[1], &partitions[0].featured_kinds[1]})
        b1->gres = {{"gpu", "", 4}};
    const Text typed = "gres:gpu:a100:1", untyped = "gres:gpu:1";
    request.required_nodes = "b1";
    BOOST_TEST(beyond(&JobRequest::tres_per_node, untyped, typed) ==
               "node b1 (--nodelist) has no a100 GPUs; this job asks for 1");
    request.required_nodes.reset();
    request.excluded_nodes = "a[1-2]";
    BOOST_TEST(beyond(&JobRequest::tres_per_node, untyped, typed) ==
               "no node of partition main (without --exclude) has a100 GPUs; this job asks for 1");
    request.excluded_nodes = "b1";
    BOOST_TEST(
        beyond(&JobRequest::tres_per_node, typed, Text("gres:gpu:a100:3")) ==
        "no node of partition main (without --exclude) has that many GPUs: the largest has 2, this job "
        "asks for 3");
}

BOOST_AUTO_TEST_CASE(only_the_nodes_of_its_reservation_count_for_a_job) {
    names->reservations = {
        {.name = "last", .users = {"ana"}, .nodes = 1, .node_ranges = {{3, 3}}, .cpus = 4},
        {.name = "lent", .users = {"ana"}, .nodes = 2, .node_ranges = {{1, 1}, {3, 3}}, .cpus = 20}};
    request.reservation = "lent"; // a2 and c1
    BOOST_TEST(beyond(&JobRequest::required_nodes, Text("a2,c1"), Text("a2,b1")) ==
               "reservation lent has no node b1 (--nodelist)");
    request.max_nodes = 1;
    BOOST_TEST(
        beyond_tasks(16) ==
        "partition main (in the reservation) has room for 16 tasks of this job on 1 node; it asks for 17 "
        "(1 CPU each, 100M of memory per CPU)");
    request.max_nodes = 2;
    BOOST_TEST(beyond_tasks(20) == "reservation lent has 20 CPUs; this job asks for 21");
    BOOST_TEST(beyond_gpus(2) ==
               "partition main (in the reservation) has 2 GPUs on 2 nodes; this job asks for 3");
    request.reservation = "last,lent"; // c1 counts once
    BOOST_TEST(beyond_gpus(2) ==
               "partition main (in the reservation) has 2 GPUs on 2 nodes; this job asks for 3");
    request.reservation = "lent";
    BOOST_TEST(beyond(&JobRequest::features, Text("big"), Text("big&fast"))
                   .ends_with("no feature 'fast' is known (known: big)"));
    request.partition = "viz";
    BOOST_TEST(beyond(&JobRequest::reservation, Text("lent"), Text("last")) ==
               "reservation last has no node of partition viz");
    BOOST_TEST(beyond(&JobRequest::reservation, Text("last,lent"), Text("last")) ==
               "reservation last has no node of partition viz");
}

BOOST_AUTO_TEST_CASE(nothing_is_suggested_that_the_reservation_does_not_have) {
    names->reservations = {
        {.name = "last", .users = {"ana"}, .nodes = 1, .node_ranges = {{3, 3}}, .cpus = 4}};
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 8);
    ask_tasks(9);
    const auto suggests = [&](std::string_view option) { return advice().find(option) != std::string::npos; };
    BOOST_TEST(suggests("could start with: --ntasks=8"));
    request.reservation = "last"; // with 4 CPUs
    BOOST_TEST(advice().starts_with("reservation last has 4 CPUs; this job asks for 9"));
    BOOST_TEST(!suggests("could start with"));
    names->reservations[0].cpus = 64;
    names->reservations[0].node_ranges = {{2, 2}}; // b1
    BOOST_TEST(suggests("could start with: --ntasks=8"));
}

BOOST_AUTO_TEST_CASE(a_reservation_may_have_some_cpus_of_its_nodes_only) {
    const model::Reservation cores{
        .name = "cores", .users = {"ana"}, .nodes = 2, .node_ranges = {{0, 1}}, .cpus = 6};
    names->reservations = {cores};
    request.reservation = "cores";
    const auto with = [&](std::uint32_t tasks) {
        ask_tasks(tasks);
        return advice();
    };
    BOOST_TEST(with(6) == "");
    BOOST_TEST(with(7) == "reservation cores has 6 CPUs; this job asks for 7");
    request.overcommit = true; // tasks share CPUs
    BOOST_TEST(with(7) == "");
    request.overcommit = false;
    names->reservations[0].cpus.reset(); // others may be free
    BOOST_TEST(with(7) == "");
    names->reservations = {cores};
    names->reservations[0].node_ranges.clear(); // which they are changes, how many they are does not
    BOOST_TEST(with(7) == "reservation cores has 6 CPUs; this job asks for 7");
    names->reservations[0].node_ranges = {{0, UINT32_MAX}}; // nor if there are too many to look at
    BOOST_TEST(with(7) == "reservation cores has 6 CPUs; this job asks for 7");
    names->reservations = {cores, {.name = "other", .users = {"ana"}}}; // of the other one nothing is known
    request.reservation = "cores,other";
    BOOST_TEST(with(7) == "");
    names->reservations[1] = {.name = "other", .users = {"ana"}, .nodes = 1, .cpus = 8};
    BOOST_TEST(with(8) == "");
    BOOST_TEST(with(9) == "its reservations have at most 8 CPUs; this job asks for 9");
}

BOOST_AUTO_TEST_CASE(nodes_of_a_nodelist_are_all_that_a_job_gets_if_it_may_have_no_more) {
    request.required_nodes = "a1,c1";
    request.max_nodes = 2;
    BOOST_TEST(
        beyond_tasks(20) ==
        "partition main (its nodes in --nodelist) has room for 20 tasks of this job on 2 nodes; it asks "
        "for 21 (1 CPU each, 100M of memory per CPU)");
    request.required_nodes = "a[1-2]";
    BOOST_TEST(beyond_gpus(4) ==
               "partition main (its nodes in --nodelist) has 4 GPUs on 2 nodes; this job asks for 5");

    request.required_nodes = "a1,c1";
    request.max_nodes = 3; // and the largest of the others
    BOOST_TEST(
        beyond_tasks(84) ==
        "partition main has room for 84 tasks of this job on 3 nodes; it asks for 85 (1 CPU each, 100M "
        "of memory per CPU)");
    request.max_nodes.reset();
    request.tasks = 100;
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(what_the_nodes_lack_that_an_exclusion_leaves_is_told) {
    request.excluded_nodes = "b1";
    BOOST_TEST(
        beyond_cpus_per_task(16) ==
        "no node of partition main (without --exclude) has that many CPUs: the largest has 16, this job "
        "asks for 17");
    BOOST_TEST(beyond_tasks(36) ==
               "partition main (without --exclude) has room for 36 tasks of this job; it asks for 37 (1 CPU "
               "each, 100M of memory per CPU)");
    request.excluded_nodes = "a1";
    BOOST_TEST(beyond_gpus(2) == "partition main (without --exclude) has 2 GPUs; this job asks for 3");
    request.excluded_nodes = "a[1-2]";
    BOOST_TEST(beyond(&JobRequest::features, Text(), Text("big")) ==
               "no node of partition main (without --exclude) has the features 'big'");
    request.has_all_excluded = false; // what more there is leaves no more
    BOOST_TEST(beyond(&JobRequest::features, Text(), Text("big")) != "");
}

BOOST_AUTO_TEST_CASE(nodes_that_are_not_known_one_by_one_are_not_told) {
    request.required_nodes = "c1";
    request.cpus_per_task = 5;
    BOOST_TEST(advice() != "");
    node_table = {}; // too many kinds
    BOOST_TEST(advice() == "");
    request.required_nodes.reset();
    request.excluded_nodes = "b1";
    request.cpus_per_task = 17;
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(a_limit_on_nodes_that_leaves_too_little_is_told) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("node"), 1);
    BOOST_TEST(beyond_tasks(64) ==
               "partition main has room for 64 tasks of this job on 1 node, the limit of QOS normal; it asks "
               "for 65 (1 CPU each, 100M of memory per CPU)");
    BOOST_TEST(beyond_gpus(2) ==
               "partition main has 2 GPUs on 1 node, the limit of QOS normal; this job asks for 3");
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("node"), 2);
    BOOST_TEST(beyond_gpus(4) ==
               "partition main has 4 GPUs on 2 nodes, the limit of QOS normal; this job asks for 5");
    request.tasks = 65;
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(a_limit_that_is_broken_by_the_nodes_asked_for_is_told_alone) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("node"), 1);
    ask_nodes(2);
    request.tasks = request.min_cpus = 65;
    BOOST_TEST(advice().starts_with("this job can never start as it is: nodes per job in QOS normal"));
}

BOOST_AUTO_TEST_CASE(tasks_find_no_room_on_nodes_without_the_gpus_of_the_job) {
    request.tres_per_job = "gres:gpu:2"; // a1 and a2 have some
    BOOST_TEST(beyond_tasks(32) ==
               "partition main has room for 32 tasks of this job; it asks for 33 (1 CPU each, 100M of memory "
               "per CPU)");
}

BOOST_AUTO_TEST_CASE(what_each_of_several_partitions_lacks_is_told) {
    request.partition = "main,viz";
    request.excluded_nodes = "b1";
    BOOST_TEST(
        beyond_cpus_per_task(16) ==
        "no node of partition main (without --exclude) has that many CPUs: the largest has 16, this job "
        "asks for 17\nno node of partition viz has that many CPUs: the largest has 16, this job asks for "
        "17");
    request.excluded_nodes = {}; // one that holds it is enough
    request.cpus_per_task = 17;
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(a_license_named_twice_counts_with_the_sum) {
    names->licenses = {{"foo", 4}};
    BOOST_TEST(beyond(&JobRequest::licenses, Text("foo:2,foo:2"), Text("foo:2,foo:3")) ==
               "this cluster has 4 foo licenses; this job asks for 5");
    BOOST_TEST(beyond(&JobRequest::licenses, Text("foo:4294967300"), Text("foo:4294967301")) ==
               "this cluster has 4 foo licenses; this job asks for 5"); // slurmctld keeps 32 bits
}

BOOST_AUTO_TEST_CASE(cpus_that_are_not_known_are_neither_too_few_nor_more_than_a_job_may_use) {
    partitions[0].node_kinds = {kind(3, 0, 64000, "")};
    partitions[0].max_cpus_per_node = 8;
    request.exclusive = true;
    BOOST_TEST(
        beyond(&JobRequest::memory, std::optional(Memory{64000, false}),
               std::optional(Memory{64001, false})) ==
        "no node of partition main has that much memory: the largest has 64000M, this job asks for 64001M");
    partitions[0].node_kinds[0].cpus = 16;
    BOOST_TEST(advice() == "partition main gives a job at most 8 CPUs of a node (MaxCPUsPerNode), and so no "
                           "whole nodes");
}

BOOST_AUTO_TEST_SUITE_END()
