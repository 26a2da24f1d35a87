// SPDX-License-Identifier: GPL-2.0-or-later
#include "qos_guesses.hpp"

#include "controller_facts.hpp"
#include "fake_controller.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace std::chrono_literals;
using plugin::QosGuesses;
using plugin::QosList;
using plugin::QosListState;

namespace {

struct Setup {
    Setup() { small = &records.add_qos("small", 5); }

    QosListState state() {
        return {records.qos_list, nullptr, slurm_list_count(records.qos_list),
                records.behind_greatest_qos_id};
    }
    QosGuesses::Epoch epoch() { return guesses.enter(state(), now); }

    test::FakeController records;
    slurmdb_qos_rec_t* small = nullptr;
    slurm::OwnedList empty = slurm::make_borrowing_list();
    QosGuesses guesses;
    QosGuesses::Clock::time_point now{1h};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(qos_guesses, Setup)

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

    QosListState shorter = state();
    --shorter.length;
    BOOST_TEST(guesses.enter(shorter, now) != second);
}

BOOST_AUTO_TEST_CASE(an_epoch_ends_where_one_qos_is_deleted_and_another_added) {
    const auto first = epoch();
    QosListState exchanged = state();
    ++exchanged.behind_greatest_id; // no id is used twice
    BOOST_TEST(guesses.enter(exchanged, now) != first);
}

BOOST_AUTO_TEST_CASE(an_epoch_ends_where_the_lists_are_replaced) {
    const auto first = epoch();
    QosListState other = state();
    other.list = empty.get();
    const auto second = guesses.enter(other, now);
    BOOST_TEST(second != first);
    slurmdb_assoc_rec_t root{};
    other.root = &root;
    BOOST_TEST(guesses.enter(other, now) != second);
}

BOOST_AUTO_TEST_CASE(after_a_time_of_which_nothing_is_known_another_epoch_begins) {
    const auto first = epoch();
    BOOST_TEST(guesses.enter(std::nullopt, now) == QosGuesses::unknown);
    BOOST_TEST(epoch() != first);
}

BOOST_AUTO_TEST_CASE(within_an_epoch_a_qos_is_found_without_a_walk) {
    BOOST_TEST(QosList(records.qos_list, guesses, epoch()).find("small") == small);
    BOOST_TEST(QosList(empty.get(), guesses, epoch()).find("SMALL") == small);
    now += 1s;
    BOOST_TEST(QosList(empty.get(), guesses, epoch()).find("small") == nullptr);
}

BOOST_AUTO_TEST_CASE(a_record_of_an_earlier_epoch_is_not_looked_into) {
    BOOST_TEST(QosList(records.qos_list, guesses, epoch()).find("small") == small);
    records.remove_qos(small->id);
    small->name = reinterpret_cast<char*>(1); // as if freed: who reads the name ends the program

    BOOST_TEST(QosList(records.qos_list, guesses, epoch()).find("small") == nullptr);
}

BOOST_AUTO_TEST_CASE(where_nothing_is_known_no_record_is_taken_for_alive) {
    const auto find_in = [this](slurm::ListHandle list) {
        return QosList(list, guesses, guesses.enter(std::nullopt, now)).find("small");
    };
    BOOST_TEST(find_in(records.qos_list) == small);
    BOOST_TEST(find_in(records.qos_list) == small);
    BOOST_TEST(find_in(empty.get()) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_qos_that_was_renamed_is_found_by_its_new_name_only) {
    std::string renamed = "tiny";
    BOOST_TEST(QosList(records.qos_list, guesses, epoch()).find("small") == small);
    small->name = renamed.data();
    BOOST_TEST(QosList(records.qos_list, guesses, epoch()).find("small") == nullptr);
    BOOST_TEST(QosList(records.qos_list, guesses, epoch()).find("tiny") == small);
}

BOOST_AUTO_TEST_SUITE_END()
