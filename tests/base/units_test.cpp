// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/units.hpp"

#include <boost/test/unit_test.hpp>

namespace units = qg::units;
using qg::TimeLimit;

BOOST_AUTO_TEST_SUITE(units_module)

BOOST_AUTO_TEST_CASE(reads_every_spelling_of_a_time_limit) {
    const std::pair<const char*, std::uint32_t> spellings[] = {
        {"0", 0},
        {"90", 90},
        {"90:00", 90},
        {"90:01", 91},
        {"8:00:00", 480},
        {"0:0:1", 1},
        {"1-0", 1440},
        {"1-2", 1560},
        {"1-02:30", 1590},
        {"1-02:30:01", 1591},
        {" 10 ", 10},
        {"0:59", 1},
        {"4294967293", 4294967293u},
    };
    for (const auto& [text, minutes] : spellings)
        BOOST_TEST_CONTEXT(text) {
            BOOST_TEST(units::parse_minutes(text).value().minutes == minutes);
        }
    BOOST_TEST(units::parse_minutes("unlimited").value().is_unlimited());
}

BOOST_AUTO_TEST_CASE(refuses_what_is_not_a_time_limit) {
    // The two highest 32-bit numbers have meanings of their own in slurmctld.
    for (const char* wrong :
         {"", "x", "-1", "1:2:3:4", "1:", ":1", "1-", "1-2-3", "1h", "4294967294", "4294967295"})
        BOOST_TEST_CONTEXT(wrong) {
            const auto parsed = units::parse_minutes(wrong);
            BOOST_TEST_REQUIRE(!parsed.has_value());
            BOOST_TEST(parsed.error().message.find("hh:mm:ss") != std::string::npos);
        }
}

BOOST_AUTO_TEST_CASE(writes_times_as_slurm_does) {
    BOOST_TEST(units::format_minutes(TimeLimit{480}) == "08:00:00");
    BOOST_TEST(units::format_minutes(TimeLimit{1440}) == "1-00:00:00");
    BOOST_TEST(units::format_minutes(TimeLimit::unlimited()) == "UNLIMITED");
}

BOOST_AUTO_TEST_CASE(a_plain_number_counts_in_the_unit_of_its_field) {
    BOOST_TEST(units::parse_seconds("60", /*plain_unit_seconds=*/1).value() == 60u);
    BOOST_TEST(units::parse_seconds("60").value() == 3600u);
    BOOST_TEST(units::parse_seconds("1:00", 1).value() == 60u);
}

BOOST_AUTO_TEST_CASE(reads_and_writes_memory) {
    BOOST_TEST(units::parse_mib("4000").value() == 4000u);
    BOOST_TEST(units::parse_mib("1T").value() == 1024u * 1024u);
    BOOST_TEST(units::parse_mib("1025k").value() == 2u);
    BOOST_TEST(units::parse_mib("0").value() == 0u);
    BOOST_TEST(units::format_mib(8192) == "8G");
    BOOST_TEST(units::format_mib(4000) == "4000M");
    BOOST_TEST(units::format_mib(0) == "0M");
}

BOOST_AUTO_TEST_CASE(refuses_sizes_that_do_not_fit) {
    BOOST_TEST(units::parse_count("18014398509481983K").has_value());
    for (const char* wrong : {"18014398509481984K", "18446744073709551616", "1.5G", "G", "-1", "1GG"})
        BOOST_TEST_CONTEXT(wrong) {
            BOOST_TEST(!units::parse_count(wrong).has_value());
        }
}

BOOST_AUTO_TEST_SUITE_END()
