// SPDX-License-Identifier: GPL-2.0-or-later
#include "records/records_cache.hpp"

#include "fake_controller.hpp"
#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace qg;
using namespace std::chrono_literals;
using plugin::RecordsCache;
using plugin::RecordsState;

namespace {

struct CacheSetup {
    RecordsState state() {
        return {records.qos_list, nullptr, slurm_list_count(records.qos_list), records.after_max_qos_id,
                *records.symbols().tres_names};
    }
    plugin::Generation generation() { return cache.generation(state(), now); }

    test::FakeController records;
    slurm::OwnedList empty = slurm::make_borrowing_list();
    RecordsCache cache;
    RecordsCache::Clock::time_point now{1h};
};

std::string names_of(const model::TresCatalogue& catalogue) {
    return text::join(catalogue.names(), ",");
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(records_cache, CacheSetup)

BOOST_AUTO_TEST_CASE(a_generation_lasts_while_the_list_stays_and_no_longer_than_a_second) {
    const auto first = generation();
    now += 999ms;
    BOOST_TEST(generation() == first);
    now += 1ms;
    BOOST_TEST(generation() != first);
}

BOOST_AUTO_TEST_CASE(a_generation_ends_where_a_qos_is_deleted_or_added) {
    const auto first = generation();
    records.add_qos("more", 6);
    const auto second = generation();
    BOOST_TEST(second != first);

    RecordsState shorter = state();
    --shorter.qos_count;
    BOOST_TEST(cache.generation(shorter, now) != second);
}

BOOST_AUTO_TEST_CASE(a_generation_ends_where_one_qos_is_deleted_and_another_added) {
    const auto first = generation();
    RecordsState exchanged = state();
    ++exchanged.after_max_qos_id; // ids are never used again
    BOOST_TEST(cache.generation(exchanged, now) != first);
}

BOOST_AUTO_TEST_CASE(a_generation_ends_where_the_lists_are_replaced) {
    const auto first = generation();
    RecordsState other = state();
    other.qos_list = empty.get();
    const auto second = cache.generation(other, now);
    BOOST_TEST(second != first);
    slurmdb_assoc_rec_t root{};
    other.root = &root;
    BOOST_TEST(cache.generation(other, now) != second);
}

BOOST_AUTO_TEST_CASE(after_a_time_of_which_nothing_is_known_another_generation_begins) {
    const auto first = generation();
    BOOST_TEST(cache.generation(std::nullopt, now) == plugin::no_generation);
    BOOST_TEST(generation() != first);
}

BOOST_AUTO_TEST_CASE(a_generation_ends_where_tres_are_named_anew) {
    const auto first = generation();
    records.set_tres({"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages", "gres/fpga"});
    BOOST_TEST(generation() != first);
}

BOOST_AUTO_TEST_CASE(a_qos_is_current_in_the_generation_in_which_it_was_remembered) {
    const slurmdb_qos_rec_t& small = records.add_qos("small", 2);
    const auto first = generation();
    BOOST_TEST(!cache.find_qos(7, first).is_current);

    cache.remember_qos(7, &small, first);
    BOOST_TEST(cache.find_qos(7, first).is_current);
    BOOST_TEST(cache.find_qos(7, first).record == &small);
    BOOST_TEST(!cache.find_qos(8, first).is_current);

    now += 1s;
    const auto second = generation();
    BOOST_TEST(!cache.find_qos(7, second).is_current);
    cache.remember_qos(7, &small, second);
    BOOST_TEST(cache.find_qos(7, second).is_current);
}

BOOST_AUTO_TEST_CASE(that_there_is_no_such_qos_is_remembered_too) {
    const auto first = generation();
    cache.remember_qos(7, nullptr, first);
    BOOST_TEST(cache.find_qos(7, first).is_current);
    BOOST_TEST(cache.find_qos(7, first).record == nullptr);
}

BOOST_AUTO_TEST_CASE(no_qos_is_current_without_a_generation) {
    const slurmdb_qos_rec_t& small = records.add_qos("small", 2);
    cache.remember_qos(7, &small, plugin::no_generation);
    BOOST_TEST(!cache.find_qos(7, plugin::no_generation).is_current);
    BOOST_TEST(!cache.find_qos(7, generation()).is_current);
}

BOOST_AUTO_TEST_CASE(two_qos_in_one_slot_replace_each_other) {
    const slurmdb_qos_rec_t &small = records.add_qos("small", 2), &large = records.add_qos("large", 3);
    const auto first = generation();
    constexpr std::uint32_t slots = 4096;
    cache.remember_qos(7, &small, first);
    cache.remember_qos(8, &large, first);
    BOOST_TEST(cache.find_qos(7, first).record == &small); // its neighbour does not
    cache.remember_qos(7 + slots, &large, first);
    BOOST_TEST(cache.find_qos(7, first).record == &large);
}

BOOST_AUTO_TEST_CASE(names_of_tres_are_compared_once_in_a_generation) {
    std::string cpu = "cpu", mem = "mem";
    char* names[] = {cpu.data(), mem.data()};
    const auto first = generation();
    const auto catalogue = cache.tres(first, names);
    BOOST_TEST(names_of(*catalogue) == "cpu,mem");

    names[1] = nullptr;
    BOOST_TEST(cache.tres(first, names) == catalogue);
    now += 1s;
    const auto renamed = cache.tres(generation(), names);
    BOOST_TEST(renamed != catalogue);
    BOOST_TEST(names_of(*renamed) == "cpu,");
    now += 1s;
    BOOST_TEST(cache.tres(generation(), names) == renamed); // nothing is made again
}

BOOST_AUTO_TEST_CASE(names_of_tres_are_always_compared_without_a_generation) {
    std::string cpu = "cpu", gpu = "gres/gpu";
    char* names[] = {cpu.data()};
    const auto catalogue = cache.tres(plugin::no_generation, names);
    BOOST_TEST(cache.tres(plugin::no_generation, names) == catalogue);
    names[0] = gpu.data();
    BOOST_TEST(names_of(*cache.tres(plugin::no_generation, names)) == "gres/gpu");
}

BOOST_AUTO_TEST_CASE(a_default_account_is_the_one_found_last_for_that_user) {
    BOOST_TEST(!cache.find_default_account(1001).has_value());
    cache.remember_default_account(1001, "astro");
    BOOST_TEST(cache.find_default_account(1001).value() == "astro");
    BOOST_TEST(!cache.find_default_account(1002).has_value());

    now += 1s;
    static_cast<void>(generation());
    BOOST_TEST(cache.find_default_account(1001).value() == "astro"); // generations do not end it
    cache.remember_default_account(1001, "bio");
    BOOST_TEST(cache.find_default_account(1001).value() == "bio");
}

BOOST_AUTO_TEST_SUITE_END()
