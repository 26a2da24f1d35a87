// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partitions/partition_bounds.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>

using namespace qg;
using gate::BoundedAmounts;
using gate::PartitionBound;

namespace {

/// A partition with all bounds at 10, and a job that is exactly within all of them.
struct Setup {
    Setup() {
        partition.name = "main";
        partition.total_cpus = partition.total_nodes = partition.min_nodes = 10;
        partition.max_nodes = 10;
        partition.max_time = TimeLimit{10};
        for (const PartitionBound* bound : gate::partition_bounds)
            job.*bound->amount = 10;
    }

    /// Amounts that break one bound, by one.
    BoundedAmounts beyond(const PartitionBound& bound) const {
        BoundedAmounts changed = job;
        changed.*bound.amount = bound.sense == gate::BoundSense::maximum ? 11 : 9;
        return changed;
    }

    model::Partition partition;
    BoundedAmounts job;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(partition_bounds, Setup)

BOOST_AUTO_TEST_CASE(amounts_at_all_bounds_are_kept_and_one_beyond_breaks_that_bound_alone) {
    BOOST_TEST(gate::keeps_all_bounds(partition, job));
    BOOST_TEST(gate::find_bound_problems(partition, job, {}).empty());
    for (const PartitionBound* bound : gate::partition_bounds)
        BOOST_TEST_CONTEXT(bound->pending) {
            BOOST_TEST(!gate::keeps_all_bounds(partition, beyond(*bound)));
            const auto problems = gate::find_bound_problems(partition, beyond(*bound), {});
            BOOST_REQUIRE(problems.size() == 1u);
            BOOST_TEST(problems[0].pending == bound->pending);
            BOOST_TEST(problems[0].code == bound->code);
        }
}

BOOST_AUTO_TEST_CASE(a_flag_of_the_qos_ignores_its_bound_except_where_flags_do_not_count) {
    int exempting = 0;
    for (const PartitionBound* bound : gate::partition_bounds) {
        if (bound->exempts == nullptr) continue;
        ++exempting;
        model::QosFlags flags;
        flags.*bound->exempts = true;
        BOOST_TEST(gate::find_bound_problems(partition, beyond(*bound), flags).empty());
        BOOST_TEST(!bound->value_for(partition, flags).has_value());
        BOOST_TEST(!gate::keeps_all_bounds(partition, beyond(*bound)));
    }
    BOOST_TEST(exempting == 3);
}

BOOST_AUTO_TEST_CASE(what_slurmctld_sets_for_a_list_with_a_closed_partition_is_told_in_words) {
    job.nodes = job.min_nodes = 0xffffffffu;
    job.max_nodes.reset();
    const auto problems = gate::find_bound_problems(partition, job, {});
    BOOST_TEST_REQUIRE(problems.size() == 1u);
    BOOST_TEST(problems[0].text ==
               "partition main has 10 nodes; this job asks for INFINITE, which slurmctld sets if the first "
               "partition of a list is closed to the job");
}

BOOST_AUTO_TEST_CASE(nodes_that_its_cpus_need_are_told_where_it_asks_for_fewer) {
    job.nodes = 11;
    job.min_nodes = job.max_nodes = 10;
    const auto problems = gate::find_bound_problems(partition, job, {});
    BOOST_TEST_REQUIRE(problems.size() == 1u);
    BOOST_TEST(problems[0].text == "partition main has 10 nodes; this job needs 11");
    job.min_nodes = job.max_nodes = 11;
    partition.max_nodes = 11;
    BOOST_TEST(gate::find_bound_problems(partition, job, {}).at(0).text ==
               "partition main has 10 nodes; this job asks for 11");
}

BOOST_AUTO_TEST_CASE(an_amount_that_is_not_known_is_not_compared) {
    BOOST_TEST(gate::keeps_all_bounds(partition, {}));
    BOOST_TEST(gate::find_bound_problems(partition, {}, {}).empty());
}

BOOST_AUTO_TEST_CASE(the_hardest_of_two_jobs_breaks_what_either_breaks) {
    for (const PartitionBound* bound : gate::partition_bounds) {
        BoundedAmounts harder = job, easier = beyond(*bound), unknown;
        gate::take_hardest(harder, beyond(*bound));
        BOOST_TEST(!gate::keeps_all_bounds(partition, harder));
        gate::take_hardest(easier, job);
        BOOST_TEST(!gate::keeps_all_bounds(partition, easier));
        gate::take_hardest(unknown, beyond(*bound));
        BOOST_TEST(!gate::keeps_all_bounds(partition, unknown));
    }
    gate::take_hardest(job, job);
    BOOST_TEST(gate::keeps_all_bounds(partition, job));
}

BOOST_AUTO_TEST_CASE(nodes_are_cut_to_what_the_partition_has_and_gives_to_one_job) {
    BOOST_TEST(gate::cap_nodes(10, partition, {}) == 10u);
    BOOST_TEST(gate::cap_nodes(11, partition, {}) == 10u);
    model::QosFlags flags;
    flags.partition_max_nodes = true;
    partition.total_nodes = 12;
    BOOST_TEST(gate::cap_nodes(13, partition, {}) == 10u);
    BOOST_TEST(gate::cap_nodes(13, partition, flags) == 12u);
    partition.total_nodes = 0; // not known
    BOOST_TEST(gate::cap_nodes(13, partition, flags) == 13u);
}

BOOST_AUTO_TEST_CASE(the_widest_partition_is_the_first_whose_bound_lets_most_jobs_pass) {
    model::AccountView view;
    const auto add = [&](std::uint32_t min_nodes, std::optional<std::uint32_t> max_nodes) {
        auto added = std::make_shared<model::Partition>();
        added->min_nodes = min_nodes;
        added->max_nodes = max_nodes;
        view.partitions.emplace_back().partition = std::move(added);
    };
    const auto is_widest = [&](std::size_t index, const PartitionBound& bound) {
        return &gate::widest_partition(view, bound) == view.partitions[index].partition.get();
    };
    add(3, 4);
    add(2, 8);
    add(2, 8);
    BOOST_TEST(is_widest(1, gate::bounds::min_nodes));
    BOOST_TEST(is_widest(1, gate::bounds::max_nodes));
    add(5, std::nullopt);
    BOOST_TEST(is_widest(1, gate::bounds::min_nodes));
    BOOST_TEST(is_widest(3, gate::bounds::max_nodes));
}

BOOST_AUTO_TEST_SUITE_END()
