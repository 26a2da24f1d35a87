// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/past_jobs.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::slurmdb;

namespace {

using Tasks = std::vector<std::uint32_t>;

void expect(const char* text, const Tasks& tasks) {
    BOOST_TEST_CONTEXT(text) {
        BOOST_TEST(parse_array_tasks(text) == tasks, boost::test_tools::per_element());
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(past_jobs)

BOOST_AUTO_TEST_CASE(reads_the_indices_of_an_array) {
    expect("3", {3});
    expect("0-3", {0, 1, 2, 3});
    expect("1,5-6", {1, 5, 6});
    expect("0-8:4", {0, 4, 8});
    expect("0-9:4", {0, 4, 8});
    expect("1-3%2", {1, 2, 3});
}

BOOST_AUTO_TEST_CASE(reads_none_from_other_texts) {
    for (const char* text :
         {"", "x", "1-", "-1", "1-2:0", "1-2:", "1,,2", "0x[1]", "1-99999999999", "0-4000001"})
        expect(text, {});
    BOOST_TEST(parse_array_tasks("0-3999999").size() == 4'000'000u);
}

BOOST_AUTO_TEST_SUITE_END()
