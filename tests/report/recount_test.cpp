// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the jobs of a queue should count for, and where counters differ (engine/qosgate/report).
#include "qosgate/report/recount.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>

using namespace qg;
using report::CountedJob;
using report::Counter;
using report::CounterComparison;
using report::CounterKind;
using report::CounterRange;
using report::Counters;

namespace {

constexpr std::size_t cpu = 0;
constexpr std::size_t node = 1;
const Counter normal{.kind = CounterKind::qos, .id = 1};
const Counter viz{.kind = CounterKind::qos, .id = 2};
const Counter ana{.kind = CounterKind::user_of_qos, .id = 1, .user_id = 7};
const Counter bio{.kind = CounterKind::account_of_qos, .id = 1, .account = "bio"};
const Counter root{.kind = CounterKind::association, .id = 1};

/// A running job of user 7 in account bio, QOS 1, with 4 CPUs on these nodes.
CountedJob running(std::vector<model::NodeRange> nodes = {{0, 0}}) {
    return {.submitted = 1,
            .holds_resources = true,
            .tres = {4, 1},
            .nodes = std::move(nodes),
            .qos = {1},
            .associations = {12, 1},
            .user_id = 7,
            .account = "bio"};
}

CountedJob pending(std::uint64_t tasks) {
    CountedJob job = running();
    job.submitted = tasks;
    job.holds_resources = false;
    job.tres = {};
    job.nodes = {};
    return job;
}

Counters count(std::vector<CountedJob> jobs) {
    return report::recount(jobs, node).least;
}

/// Counters that are exactly so.
CounterRange exactly(const Counters& counters) {
    return {.least = counters, .most = counters};
}

/// A counter with so many running jobs.
Counters jobs(std::uint64_t running_jobs) {
    model::Usage usage;
    usage.jobs = running_jobs;
    return {{normal, usage}};
}

} // namespace

BOOST_AUTO_TEST_SUITE(recount)

BOOST_AUTO_TEST_CASE(a_running_job_counts_in_its_qos_its_association_and_those_above) {
    const Counters counters = count({running()});

    for (const Counter& counter :
         {normal, ana, bio, root, Counter{.kind = CounterKind::association, .id = 12}}) {
        const model::Usage& usage = counters.at(counter);
        BOOST_TEST(usage.jobs == 1u);
        BOOST_TEST(usage.submit_jobs == 1u);
        BOOST_TEST(usage.tres.at(cpu) == 4u);
    }
    BOOST_TEST(counters.size() == 5u);
}

BOOST_AUTO_TEST_CASE(a_job_counts_in_the_qos_of_its_partition_too) {
    CountedJob job = running();
    job.qos = {1, 2};

    const Counters counters = count({job});

    BOOST_TEST(counters.at(viz).jobs == 1u);
    BOOST_TEST(counters.at(normal).jobs == 1u);
}

BOOST_AUTO_TEST_CASE(tasks_of_a_pending_array_are_submitted_one_by_one_and_hold_nothing) {
    const Counters counters = count({pending(20), running()});

    BOOST_TEST(counters.at(normal).submit_jobs == 21u);
    BOOST_TEST(counters.at(normal).jobs == 1u);
    BOOST_TEST(counters.at(normal).tres.at(cpu) == 4u);
}

BOOST_AUTO_TEST_CASE(nodes_that_jobs_share_count_once) {
    const auto nodes = [](std::vector<CountedJob> all) {
        return count(std::move(all)).at(normal).tres.at(node);
    };

    BOOST_TEST(nodes({running({{0, 0}}), running({{0, 0}})}) == 1u);
    BOOST_TEST(nodes({running({{0, 0}}), running({{1, 1}})}) == 2u);
    BOOST_TEST(nodes({running({{0, 3}}), running({{2, 5}, {8, 8}})}) == 7u);
    BOOST_TEST(nodes({running({{4, 9}}), running({{0, 9}}), running({{5, 6}})}) == 10u);
}

namespace {

/// A counter with so many CPU minutes.
Counters minutes(std::uint64_t cpu_minutes, const Counter& counter = normal) {
    model::Usage usage;
    usage.tres_run_minutes = {cpu_minutes};
    return {{counter, usage}};
}

/// What jobs may count.
CounterRange between(std::uint64_t least, std::uint64_t most, const Counter& counter = normal) {
    return {.least = minutes(least, counter), .most = minutes(most, counter)};
}

} // namespace

BOOST_AUTO_TEST_CASE(minutes_of_jobs_add_up_and_are_cut_once) {
    CountedJob job = running();
    job.least_seconds = 20;
    job.most_seconds = 100;

    const CounterRange counted = report::recount(std::vector{job, running(), job}, node);

    BOOST_TEST(counted.least.at(normal).tres_run_minutes.at(cpu) == 2u); // 160 seconds
    BOOST_TEST(counted.most.at(normal).tres_run_minutes.at(cpu) == 13u); // 800 seconds
    BOOST_TEST(counted.most.at(normal).tres_run_minutes.at(node) == 3u,
               "nodes that jobs share count for each");
}

BOOST_AUTO_TEST_CASE(minutes_without_an_end_are_the_most_there_is) {
    CountedJob job = running();
    job.most_seconds = std::numeric_limits<std::uint64_t>::max();

    const CounterRange counted = report::recount(std::vector{job, job}, node);

    BOOST_TEST(counted.most.at(normal).tres_run_minutes.at(cpu) == job.most_seconds / 60);
}

BOOST_AUTO_TEST_CASE(minutes_within_what_the_jobs_may_count_do_not_differ) {
    for (const std::uint64_t kept : {100u, 140u}) {
        CounterComparison comparison({cpu});
        comparison.add_round(minutes(kept), between(100, 140), minutes(kept));
        BOOST_TEST(comparison.is_settled());
        BOOST_TEST(comparison.differences().empty());
    }
}

BOOST_AUTO_TEST_CASE(minutes_differ_if_they_are_twice_on_the_same_side) {
    for (const std::uint64_t kept : {99u, 141u}) {
        CounterComparison comparison({cpu});
        comparison.add_round(minutes(kept), between(100, 140), minutes(kept));
        BOOST_TEST(!comparison.is_settled());
        const std::uint64_t later = kept < 100 ? 1 : 0;
        comparison.add_round(minutes(kept), between(100 + later, 139 + later), minutes(kept));
        BOOST_TEST(comparison.is_settled());
        BOOST_TEST_REQUIRE(comparison.differences().size() == 1u);
        BOOST_TEST(comparison.differences().front().counted == (kept < 100 ? 101u : 139u));
    }
    CounterComparison comparison({cpu});
    comparison.add_round(minutes(99), between(100, 140), minutes(99));
    comparison.add_round(minutes(141), between(100, 140), minutes(141));
    BOOST_TEST(comparison.differences().empty());
}

BOOST_AUTO_TEST_CASE(minutes_of_users_of_a_qos_are_compared_where_slurmctld_counts_them) {
    using Minutes = CounterComparison::Minutes;
    for (const Counter& counter : {ana, bio, normal, root}) {
        CounterComparison groups({cpu}, Minutes::of_groups);
        CounterComparison all({cpu}, Minutes::of_all);
        const bool is_group = counter == normal || counter == root;
        for (int i = 0; i < 2; ++i) {
            groups.add_round(minutes(0, counter), between(5, 9, counter), minutes(0, counter));
            all.add_round(minutes(0, counter), between(5, 9, counter), minutes(0, counter));
        }
        BOOST_TEST(groups.differences().size() == (is_group ? 1u : 0u));
        BOOST_TEST(all.differences().size() == 1u);
    }
}

BOOST_AUTO_TEST_CASE(a_difference_counts_if_it_is_there_twice) {
    CounterComparison comparison({});
    comparison.add_round(jobs(3), exactly(jobs(2)), jobs(3));
    BOOST_TEST(!comparison.is_settled());
    BOOST_TEST(comparison.differences().empty());

    comparison.add_round(jobs(3), exactly(jobs(2)), jobs(3));

    BOOST_TEST(comparison.is_settled());
    BOOST_TEST_REQUIRE(comparison.differences().size() == 1u);
    const report::Difference& found = comparison.differences().front();
    const bool is_running_jobs = found.what == report::CountedAmount{.counter = normal};
    BOOST_TEST(is_running_jobs);
    BOOST_TEST(found.counted == 2u);
    BOOST_TEST(found.kept == 3u);
}

BOOST_AUTO_TEST_CASE(the_same_difference_of_more_jobs_is_the_same) {
    CounterComparison comparison({});
    comparison.add_round(jobs(3), exactly(jobs(2)), jobs(3));

    comparison.add_round(jobs(5), exactly(jobs(4)), jobs(5));

    BOOST_TEST_REQUIRE(comparison.differences().size() == 1u);
    BOOST_TEST(comparison.differences().front().kept == 5u);
}

BOOST_AUTO_TEST_CASE(what_is_equal_in_one_of_two_rounds_does_not_differ) {
    CounterComparison comparison({});
    comparison.add_round(jobs(3), exactly(jobs(2)), jobs(3));

    comparison.add_round(jobs(3), exactly(jobs(3)), jobs(3));

    BOOST_TEST(comparison.is_settled());
    BOOST_TEST(comparison.differences().empty());
    BOOST_TEST(comparison.unsettled().empty());
}

BOOST_AUTO_TEST_CASE(equal_numbers_need_one_round) {
    CounterComparison comparison({cpu});

    comparison.add_round(count({running()}), exactly(count({running()})), count({running()}));

    BOOST_TEST(comparison.is_settled());
    BOOST_TEST(comparison.differences().empty());
    BOOST_TEST(comparison.compared() == 20u);
}

BOOST_AUTO_TEST_CASE(a_counter_that_changes_is_equal_if_it_was_so_twice) {
    for (const std::uint64_t counted : {2u, 3u}) {
        CounterComparison comparison({});
        comparison.add_round(jobs(2), exactly(jobs(counted)), jobs(3));
        BOOST_TEST(!comparison.is_settled());
        comparison.add_round(jobs(2), exactly(jobs(counted)), jobs(3));
        BOOST_TEST(comparison.is_settled());
        BOOST_TEST(comparison.differences().empty());
    }
}

BOOST_AUTO_TEST_CASE(an_accident_under_load_does_not_hide_a_difference) {
    CounterComparison comparison({});
    comparison.add_round(jobs(12), exactly(jobs(13)), jobs(13)); // 3 more than there are, and 3 started
    comparison.add_round(jobs(14), exactly(jobs(11)), jobs(15));

    comparison.add_round(jobs(15), exactly(jobs(12)), jobs(15));
    comparison.add_round(jobs(16), exactly(jobs(13)), jobs(16));

    BOOST_TEST_REQUIRE(comparison.differences().size() == 1u);
    BOOST_TEST(comparison.differences().front().kept == 16u);
}

BOOST_AUTO_TEST_CASE(what_may_be_counted_in_two_ways_differs_outside_both) {
    const auto difference = [](std::uint64_t kept) {
        CounterComparison comparison({});
        for (int round = 0; round < 2; ++round)
            comparison.add_round(jobs(kept), {.least = jobs(2), .most = jobs(4)}, jobs(kept));
        const auto& all = comparison.differences();
        return all.empty() ? 0 : static_cast<int>(all.front().kept) - static_cast<int>(all.front().counted);
    };
    BOOST_TEST(difference(1) == -1);
    BOOST_TEST(difference(2) == 0);
    BOOST_TEST(difference(4) == 0);
    BOOST_TEST(difference(6) == 2);
}

BOOST_AUTO_TEST_CASE(what_could_not_be_compared_is_no_success) {
    CounterComparison equal({});
    equal.add_round(jobs(2), exactly(jobs(2)), jobs(2));
    BOOST_TEST(report::verify_status_of(equal, 0) == 0);
    BOOST_TEST(report::headline_of(equal, 2, 0) ==
               "2 numbers compared with 2 records of the queue: no difference");
    BOOST_TEST(report::verify_status_of(equal, 1) == 3);
    BOOST_TEST(report::headline_of(equal, 2, 1) ==
               "2 numbers compared with 2 records of the queue: no difference; "
               "1 record could not be compared");

    CounterComparison changing({});
    for (std::uint64_t round = 1; round < 5; ++round)
        changing.add_round(jobs(10 * round), exactly(jobs(10 * round + 2)), jobs(10 * round + 9));
    BOOST_TEST(report::verify_status_of(changing, 0) == 3);
    BOOST_TEST(report::headline_of(changing, 1, 2) ==
               "1 number compared with 1 record of the queue: no difference; "
               "1 number and 2 records could not be compared");

    CounterComparison different({});
    for (int round = 0; round < 2; ++round)
        different.add_round(jobs(3), exactly(jobs(2)), jobs(3));
    BOOST_TEST(report::verify_status_of(different, 1) == 2);
}

BOOST_AUTO_TEST_CASE(a_pending_job_of_several_partitions_may_count_in_each_of_their_qos) {
    CountedJob job = pending(1);
    job.possible_qos = {2};

    const std::vector<CountedJob> all{job};
    const CounterRange range = report::recount(all, node);

    BOOST_TEST(!range.least.contains(viz));
    BOOST_TEST(range.most.at(viz).submit_jobs == 1u);
    BOOST_TEST(range.least.at(normal).submit_jobs == 1u);
    BOOST_TEST(range.most.at(normal).submit_jobs == 1u);
}

BOOST_AUTO_TEST_CASE(amounts_that_slurm_rounded_are_between_two) {
    CountedJob job = running();
    job.most_tres = {6, 1};

    const std::vector<CountedJob> all{job, running()};
    const CounterRange range = report::recount(all, node);

    BOOST_TEST(range.least.at(normal).tres.at(cpu) == 8u);
    BOOST_TEST(range.most.at(normal).tres.at(cpu) == 10u);
    BOOST_TEST(range.most.at(normal).tres.at(node) == 1u);
}

BOOST_AUTO_TEST_CASE(what_changes_in_every_round_is_not_compared) {
    CounterComparison comparison({});
    for (std::uint64_t round = 0; round < 5; ++round)
        comparison.add_round(jobs(10 * round), exactly(jobs(10 * round + 2)), jobs(10 * round + 9));

    BOOST_TEST(comparison.differences().empty());
    BOOST_TEST(comparison.unsettled().size() == 1u);
    BOOST_TEST(comparison.compared() == 1u); // submitted jobs
}

BOOST_AUTO_TEST_CASE(a_counter_that_only_one_side_has_differs) {
    CounterComparison lost({cpu});
    lost.add_round({}, exactly(count({running()})), {});
    lost.add_round({}, exactly(count({running()})), {});
    CounterComparison left({cpu});
    left.add_round(count({running()}), {}, count({running()}));
    left.add_round(count({running()}), {}, count({running()}));

    BOOST_TEST(lost.differences().size() == 15u);
    BOOST_TEST(left.differences().size() == 15u);
}

BOOST_AUTO_TEST_CASE(only_the_named_tres_are_compared) {
    for (const auto& [tres, differences] : {std::pair{cpu, 2u}, std::pair{node, 0u}}) {
        CounterComparison comparison({tres});
        Counters kept = jobs(1);
        kept.at(normal).submit_jobs = 1;
        Counters counted = kept;
        kept.at(normal).tres = {8, 1};
        counted.at(normal).tres = {4, 1};
        comparison.add_round(kept, exactly(counted), kept);
        comparison.add_round(kept, exactly(counted), kept);
        BOOST_TEST(comparison.differences().size() == differences / 2);
    }
}

BOOST_AUTO_TEST_SUITE_END()
