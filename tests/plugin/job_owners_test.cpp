// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/job_owners.hpp"

#include <boost/test/unit_test.hpp>

using qg::plugin::JobOwners;

BOOST_AUTO_TEST_SUITE(job_owners)

BOOST_AUTO_TEST_CASE(knows_the_last_owner_of_a_job_and_of_no_other) {
    JobOwners owners;
    BOOST_TEST(!owners.find(7));
    owners.keep(7, 1001);
    owners.keep(7, 1002);
    BOOST_TEST(owners.find(7).value_or(0) == 1002u);
    BOOST_TEST(!owners.find(8));
}

BOOST_AUTO_TEST_CASE(keeps_so_many_and_always_the_newest) {
    JobOwners owners;
    for (std::uint32_t job = 0; job <= JobOwners::max_jobs; ++job)
        owners.keep(job, 1001);
    std::size_t known = 0;
    for (std::uint32_t job = 0; job <= JobOwners::max_jobs; ++job)
        known += owners.find(job) ? 1 : 0;
    BOOST_TEST(known == JobOwners::max_jobs);
    BOOST_TEST(owners.find(JobOwners::max_jobs).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
