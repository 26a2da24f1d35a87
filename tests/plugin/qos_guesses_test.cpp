// SPDX-License-Identifier: GPL-2.0-or-later
#include "qos_guesses.hpp"

#include "controller_facts.hpp"
#include "fake_controller.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using plugin::QosGuesses;
using plugin::QosList;

namespace {

struct Setup {
    Setup() { small = &records.add_qos("small", 5); }

    test::FakeController records;
    slurmdb_qos_rec_t* small = nullptr;
    slurm::OwnedList empty = slurm::make_borrowing_list();
    QosGuesses guesses;
    plugin::Epoch epoch = 1;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(qos_guesses, Setup)

BOOST_AUTO_TEST_CASE(within_an_epoch_a_qos_is_found_without_a_walk) {
    BOOST_TEST(QosList(records.qos_list, guesses, epoch).find("small") == small);
    BOOST_TEST(QosList(empty.get(), guesses, epoch).find("SMALL") == small);
    ++epoch;
    BOOST_TEST(QosList(empty.get(), guesses, epoch).find("small") == nullptr);
}

BOOST_AUTO_TEST_CASE(a_record_of_an_earlier_epoch_is_not_looked_into) {
    BOOST_TEST(QosList(records.qos_list, guesses, epoch).find("small") == small);
    records.remove_qos(small->id);
    ++epoch;
    small->name = reinterpret_cast<char*>(1); // as if freed: who reads the name ends the program

    BOOST_TEST(QosList(records.qos_list, guesses, epoch).find("small") == nullptr);
}

BOOST_AUTO_TEST_CASE(where_nothing_is_known_no_record_is_taken_for_alive) {
    const auto find_in = [this](slurm::ListHandle list) {
        return QosList(list, guesses, plugin::unknown_epoch).find("small");
    };
    BOOST_TEST(find_in(records.qos_list) == small);
    BOOST_TEST(find_in(records.qos_list) == small);
    BOOST_TEST(find_in(empty.get()) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_qos_that_was_renamed_is_found_by_its_new_name_only) {
    std::string renamed = "tiny";
    BOOST_TEST(QosList(records.qos_list, guesses, epoch).find("small") == small);
    small->name = renamed.data();
    BOOST_TEST(QosList(records.qos_list, guesses, epoch).find("small") == nullptr);
    BOOST_TEST(QosList(records.qos_list, guesses, epoch).find("tiny") == small);
}

BOOST_AUTO_TEST_SUITE_END()
