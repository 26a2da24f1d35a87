// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/report_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;

BOOST_AUTO_TEST_SUITE(report_files)

BOOST_AUTO_TEST_CASE(a_standby_has_a_file_of_its_own_by_its_short_name) {
    BOOST_TEST(standby_report_file_name("head2") == "qosgate_standby.head2.json");
    BOOST_TEST(standby_report_file_name("head2.hpc.org") == "qosgate_standby.head2.json");
    BOOST_TEST(standby_report_file_name("head-2_b") == "qosgate_standby.head-2_b.json");
}

BOOST_AUTO_TEST_CASE(no_name_leads_to_another_directory) {
    BOOST_TEST(standby_report_file_name("a/../b c") == "qosgate_standby.a_.json");
    BOOST_TEST(standby_report_file_name("/etc") == "qosgate_standby._etc.json");
    BOOST_TEST(standby_report_file_name("..") == "qosgate_standby..json");
}

BOOST_AUTO_TEST_CASE(a_host_is_the_same_with_and_without_its_domain) {
    BOOST_TEST(is_same_host("head1", "head1.hpc.org"));
    BOOST_TEST(is_same_host("HEAD1.hpc.org", "head1"));
    BOOST_TEST(!is_same_host("head1", "head2"));
    BOOST_TEST(!is_same_host("head1", "head10"));
    BOOST_TEST(!is_same_host("head1", ""));
}

BOOST_AUTO_TEST_CASE(this_host_has_a_name) {
    BOOST_TEST(!own_host_name().empty());
}

BOOST_AUTO_TEST_SUITE_END()
