// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/values.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::slurm;
using model::Memory;

BOOST_AUTO_TEST_SUITE(values)

BOOST_AUTO_TEST_CASE(special_numbers_of_each_width_are_no_counts) {
    BOOST_TEST(!is_count<std::uint8_t>(NO_VAL8));
    BOOST_TEST(!is_count<std::uint8_t>(INFINITE8));
    BOOST_TEST(!is_count<std::uint16_t>(NO_VAL16));
    BOOST_TEST(!is_count<std::uint16_t>(INFINITE16));
    BOOST_TEST(!is_count<std::uint32_t>(NO_VAL));
    BOOST_TEST(!is_count<std::uint32_t>(INFINITE));
    BOOST_TEST(!is_count<std::uint64_t>(NO_VAL64));
    BOOST_TEST(!is_count<std::uint64_t>(INFINITE64));
}

BOOST_AUTO_TEST_CASE(a_special_number_of_another_width_is_a_count) {
    BOOST_TEST(is_count<std::uint32_t>(NO_VAL16));
    BOOST_TEST(is_count<std::uint64_t>(NO_VAL));
    BOOST_TEST(is_count<std::uint64_t>(INFINITE));
}

BOOST_AUTO_TEST_CASE(counts_survive_the_round_trip) {
    for (const std::uint32_t count : {0u, 1u, 0xfffdu, 0xfffffffdu})
        BOOST_TEST(write_count<std::uint32_t>(read_count(count)) == count);
    BOOST_TEST(write_count<std::uint32_t>(std::nullopt) == NO_VAL);
    BOOST_TEST(write_count<std::uint16_t>(std::nullopt) == NO_VAL16);
}

BOOST_AUTO_TEST_CASE(a_count_too_great_for_its_field_never_turns_into_a_special_number) {
    BOOST_TEST(write_count<std::uint16_t>(0xfffd) == 0xfffd);
    BOOST_TEST(write_count<std::uint16_t>(0xfffe) == 0xfffd);
    BOOST_TEST(write_count<std::uint16_t>(70000) == 0xfffd);
    BOOST_TEST(write_count<std::uint32_t>(INFINITE) == NO_VAL - 1);
}

BOOST_AUTO_TEST_CASE(times_tell_unset_from_unlimited) {
    BOOST_TEST(!read_time(NO_VAL).has_value());
    BOOST_TEST(read_time(INFINITE)->is_unlimited());
    BOOST_TEST(read_time(0)->minutes == 0u);
    BOOST_TEST(read_time(90)->minutes == 90u);
    for (const std::uint32_t minutes : {std::uint32_t{NO_VAL}, std::uint32_t{INFINITE}, 0u, 90u})
        BOOST_TEST(write_time(read_time(minutes)) == minutes);
    BOOST_TEST(write_time(TimeLimit{NO_VAL}) == NO_VAL - 1);
}

BOOST_AUTO_TEST_CASE(memory_is_per_cpu_where_the_top_bit_is_set) {
    BOOST_TEST(read_memory(4000) == (Memory{4000, false}));
    BOOST_TEST(read_memory(4000 | MEM_PER_CPU) == (Memory{4000, true}));
    BOOST_TEST(read_memory(0) == (Memory{0, false}));
    BOOST_TEST(read_memory(MEM_PER_CPU) == (Memory{0, true}));
    BOOST_TEST(read_asked_memory(MEM_PER_CPU) == (Memory{0, false}));
}

BOOST_AUTO_TEST_CASE(memory_special_numbers_are_unset_though_they_carry_the_top_bit) {
    BOOST_TEST(!read_memory(NO_VAL64).has_value());
    BOOST_TEST(!read_memory(INFINITE64).has_value());
}

BOOST_AUTO_TEST_CASE(memory_survives_the_round_trip) {
    for (const std::uint64_t value : {std::uint64_t{NO_VAL64}, std::uint64_t{0}, std::uint64_t{4000},
                                      std::uint64_t{4000 | MEM_PER_CPU}, std::uint64_t{MEM_PER_CPU}})
        BOOST_TEST(write_memory(read_memory(value)) == value);
    BOOST_TEST(read_memory(write_memory(Memory{~std::uint64_t{0}, true})).has_value());
}

BOOST_AUTO_TEST_CASE(a_null_text_reads_as_an_empty_one) {
    BOOST_TEST(view_text(nullptr).empty());
    BOOST_TEST(view_text(" ") == " ");
}

BOOST_AUTO_TEST_SUITE_END()
