// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/job_files.hpp"

#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

namespace plugin = qg::plugin;

BOOST_AUTO_TEST_SUITE(job_files)

BOOST_AUTO_TEST_CASE(tasks_share_the_files_of_their_array_and_components_have_their_own) {
    const auto id = [](const char* text) { return plugin::parse_files_id(text).value_or(0); };
    BOOST_TEST(id("JobId=12") == 12u);
    BOOST_TEST(id("JobId=12_*") == 12u);
    BOOST_TEST(id("JobId=12_3(14)") == 12u);
    BOOST_TEST(id("JobId=12+0(12)") == 12u);
    BOOST_TEST(id("JobId=12+1(13)") == 13u);
}

BOOST_AUTO_TEST_CASE(what_is_no_job_has_no_files) {
    for (const char* text : {"", "JobId=", "JobId=Invalid", "JobId=CORRUPT", "%pJ", "JobId=12+1", "12"})
        BOOST_TEST(!plugin::parse_files_id(text), text);
}

BOOST_AUTO_TEST_CASE(an_environment_has_the_bytes_of_its_file_and_none_without_one) {
    const auto directory = std::filesystem::temp_directory_path() / ("qosgate." + std::to_string(getpid()));
    std::filesystem::create_directories(directory / "hash.7" / "job.127");
    std::ofstream(directory / "hash.7" / "job.127" / "environment") << "A=1";

    BOOST_TEST(plugin::environment_bytes(directory, 127) == 3u);
    BOOST_TEST(plugin::environment_bytes(directory, 117) == 0u);
    std::filesystem::remove_all(directory);
}

BOOST_AUTO_TEST_CASE(an_environment_of_four_mebibytes_is_read_and_one_byte_more_is_not) {
    BOOST_TEST(plugin::is_short_environment(0));
    BOOST_TEST(plugin::is_short_environment(4194304));
    BOOST_TEST(!plugin::is_short_environment(4194305));
}

BOOST_AUTO_TEST_SUITE_END()
