// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster/partition_watch.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace std::chrono_literals;
using plugin::PartitionWatch;

namespace {

/// A slurmctld with two partitions, read for the first time.
struct WatchSetup {
    WatchSetup() {
        for (int& partition : partitions)
            slurm::append(list, &partition);
    }

    bool may_have_changed(const plugin::PartitionsRead& read) const {
        return watch.may_have_changed(read, std::size(partitions));
    }
    bool is_outdated(const plugin::PartitionsRead& read) const {
        return watch.is_outdated(read, now, wall());
    }

    /// A change is of the second 1000 unless it says otherwise, and so is the first look.
    PartitionWatch::WallClock::time_point wall() const {
        return PartitionWatch::WallClock::time_point(now.time_since_epoch() + offset);
    }

    int partitions[2] = {};
    slurm::OwnedList list = slurm::make_borrowing_list();
    slurm::ListHandle all = list.get();
    std::time_t changed_at = 1000;
    PartitionWatch watch{{&changed_at, &all}};
    PartitionWatch::Clock::time_point now{1h};
    PartitionWatch::WallClock::duration offset =
        PartitionWatch::WallClock::from_time_t(1000) - PartitionWatch::WallClock::time_point(1h);
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(partition_watch, WatchSetup)

BOOST_AUTO_TEST_CASE(a_standby_controller_has_no_partitions) {
    BOOST_TEST(watch.has_partitions());
    changed_at = 0;
    BOOST_TEST(!watch.has_partitions());
}

BOOST_AUTO_TEST_CASE(partitions_of_the_start_count_as_unchanged_and_are_read_once_more) {
    const auto read = watch.read_mark(now, wall());
    BOOST_TEST(!may_have_changed(read));

    BOOST_TEST(!is_outdated(read));
    now += 1050ms;
    BOOST_TEST(is_outdated(read));
    const auto again = watch.read_mark(now, wall());
    now += 1h;
    BOOST_TEST(!is_outdated(again));
    BOOST_TEST(!may_have_changed(again));
}

BOOST_AUTO_TEST_CASE(a_partition_made_in_the_second_of_the_start_is_noticed) {
    const auto read = watch.read_mark(now, wall());
    slurm::append(list, &partitions[0]);
    BOOST_TEST(may_have_changed(read));
}

BOOST_AUTO_TEST_CASE(a_later_change_is_noticed) {
    const auto read = watch.read_mark(now, wall());
    changed_at = 1002;
    BOOST_TEST(may_have_changed(read));
    BOOST_TEST(is_outdated(read));
}

BOOST_AUTO_TEST_CASE(a_change_counts_as_unsure_until_its_second_is_over) {
    static_cast<void>(watch.read_mark(now, wall()));
    changed_at = 1002;
    now += 2s;
    const auto within = watch.read_mark(now, wall());
    BOOST_TEST(may_have_changed(within));
    now += 1049ms;
    BOOST_TEST(!is_outdated(within));
    BOOST_TEST(may_have_changed(watch.read_mark(now, wall())));

    now += 1ms;
    BOOST_TEST(is_outdated(within));
    BOOST_TEST(!may_have_changed(watch.read_mark(now, wall())));
}

BOOST_AUTO_TEST_CASE(a_clock_that_is_set_back_leaves_nothing_unsure_for_long) {
    static_cast<void>(watch.read_mark(now, wall()));
    changed_at = 400;
    now += 2s;
    static_cast<void>(watch.read_mark(now, wall()));
    now += 1050ms;
    BOOST_TEST(!may_have_changed(watch.read_mark(now, wall())));
}

BOOST_AUTO_TEST_CASE(a_slurmctld_that_does_not_tell_is_believed_to_have_changed_nothing) {
    PartitionWatch blind{{}};
    BOOST_TEST(blind.has_partitions());
    const auto read = blind.read_mark(now, wall());
    BOOST_TEST(!blind.may_have_changed(read, 7));
}

BOOST_AUTO_TEST_CASE(a_clock_that_is_set_back_may_come_to_the_same_second_again) {
    now += 1050ms;
    static_cast<void>(watch.read_mark(now, wall()));
    now += 1050ms;
    const auto read = watch.read_mark(now, wall());
    now += 10s;
    BOOST_TEST(!is_outdated(read));
    offset -= 500ms; // corrected
    BOOST_TEST(!is_outdated(read));
    offset -= 12s; // of what was the second 1012
    BOOST_TEST(is_outdated(read));
    const auto again = watch.read_mark(now, wall());
    BOOST_TEST(!is_outdated(again));
    BOOST_TEST(!may_have_changed(again));

    offset = PartitionWatch::WallClock::from_time_t(1001) - PartitionWatch::WallClock::time_point{} -
             now.time_since_epoch();
    offset += 49ms;
    BOOST_TEST(!is_outdated(again));
    offset += 1ms;
    BOOST_TEST(is_outdated(again));
    BOOST_TEST(!is_outdated(watch.read_mark(now, wall())));
}

BOOST_AUTO_TEST_SUITE_END()
