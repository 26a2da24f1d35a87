// SPDX-License-Identifier: GPL-2.0-or-later
#include "epochs.hpp"

#include "fake_controller.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace std::chrono_literals;
using plugin::Epochs;
using plugin::RecordsState;

namespace {

struct Setup {
    RecordsState state() {
        return {records.qos_list, nullptr, slurm_list_count(records.qos_list), records.behind_greatest_qos_id,
                *records.symbols().tres_names};
    }
    plugin::Epoch epoch() { return epochs.enter(state(), now); }

    test::FakeController records;
    slurm::OwnedList empty = slurm::make_borrowing_list();
    Epochs epochs;
    Epochs::Clock::time_point now{1h};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(epochs, Setup)

BOOST_AUTO_TEST_CASE(an_epoch_lasts_while_the_list_stays_and_no_longer_than_a_second) {
    const auto first = epoch();
    now += 999ms;
    BOOST_TEST(epoch() == first);
    now += 1ms;
    BOOST_TEST(epoch() != first);
}

BOOST_AUTO_TEST_CASE(an_epoch_ends_where_a_qos_is_deleted_or_added) {
    const auto first = epoch();
    records.add_qos("more", 6);
    const auto second = epoch();
    BOOST_TEST(second != first);

    RecordsState shorter = state();
    --shorter.qos_count;
    BOOST_TEST(epochs.enter(shorter, now) != second);
}

BOOST_AUTO_TEST_CASE(an_epoch_ends_where_one_qos_is_deleted_and_another_added) {
    const auto first = epoch();
    RecordsState exchanged = state();
    ++exchanged.behind_greatest_qos_id; // no id is used twice
    BOOST_TEST(epochs.enter(exchanged, now) != first);
}

BOOST_AUTO_TEST_CASE(an_epoch_ends_where_the_lists_are_replaced) {
    const auto first = epoch();
    RecordsState other = state();
    other.qos_list = empty.get();
    const auto second = epochs.enter(other, now);
    BOOST_TEST(second != first);
    slurmdb_assoc_rec_t root{};
    other.root = &root;
    BOOST_TEST(epochs.enter(other, now) != second);
}

BOOST_AUTO_TEST_CASE(after_a_time_of_which_nothing_is_known_another_epoch_begins) {
    const auto first = epoch();
    BOOST_TEST(epochs.enter(std::nullopt, now) == plugin::unknown_epoch);
    BOOST_TEST(epoch() != first);
}

BOOST_AUTO_TEST_CASE(an_epoch_ends_where_tres_are_named_anew) {
    const auto first = epoch();
    records.set_tres({"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages", "gres/fpga"});
    BOOST_TEST(epoch() != first);
}

BOOST_AUTO_TEST_SUITE_END()
