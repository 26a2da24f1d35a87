// SPDX-License-Identifier: GPL-2.0-or-later
#include "records/qos_lookup.hpp"

#include "fake_controller.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using plugin::QosList;
using plugin::RecordsCache;

namespace {

struct LookupSetup {
    LookupSetup() { small = &records.add_qos("small", 5); }

    test::FakeController records;
    slurmdb_qos_rec_t* small = nullptr;
    slurm::OwnedList empty = slurm::make_borrowing_list();
    RecordsCache cache;
    plugin::Generation generation = 1;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(qos_lookup, LookupSetup)

BOOST_AUTO_TEST_CASE(within_a_generation_a_qos_is_found_without_a_walk) {
    BOOST_TEST(QosList(records.qos_list, cache, generation).find("small") == small);
    BOOST_TEST(QosList(empty.get(), cache, generation).find("SMALL") == small);
    ++generation;
    BOOST_TEST(QosList(empty.get(), cache, generation).find("small") == nullptr);
}

BOOST_AUTO_TEST_CASE(a_record_of_an_earlier_generation_is_not_looked_into) {
    BOOST_TEST(QosList(records.qos_list, cache, generation).find("small") == small);
    records.remove_qos(small->id);
    ++generation;
    small->name = reinterpret_cast<char*>(1); // as if freed: reading the name crashes

    BOOST_TEST(QosList(records.qos_list, cache, generation).find("small") == nullptr);
}

BOOST_AUTO_TEST_CASE(where_nothing_is_known_no_record_is_taken_for_alive) {
    const auto find_in = [this](slurm::ListHandle list) {
        return QosList(list, cache, plugin::no_generation).find("small");
    };
    BOOST_TEST(find_in(records.qos_list) == small);
    BOOST_TEST(find_in(records.qos_list) == small);
    BOOST_TEST(find_in(empty.get()) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_qos_that_was_renamed_is_found_by_its_new_name_only) {
    std::string renamed = "tiny";
    BOOST_TEST(QosList(records.qos_list, cache, generation).find("small") == small);
    small->name = renamed.data();
    BOOST_TEST(QosList(records.qos_list, cache, generation).find("small") == nullptr);
    BOOST_TEST(QosList(records.qos_list, cache, generation).find("tiny") == small);
}

BOOST_AUTO_TEST_SUITE_END()
