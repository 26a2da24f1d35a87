// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which usage and limits are read, and which of them a user may see.
#include "controller_setup.hpp"

using namespace qg;
using namespace qg::test;

BOOST_FIXTURE_TEST_SUITE(controller_privacy, ControllerSetup)

BOOST_AUTO_TEST_CASE(usage_is_that_of_this_user_and_this_account) {
    slurmdb_qos_rec_t& qos = records.add_qos("counted", 4);
    slurm_bit_set(records.ana_astro->usage->valid_qos, 4);
    qos.max_submit_jobs_pu = 10;
    qos.max_jobs_pa = 10;
    qos.usage->grp_used_jobs = 7;
    records.add_user_usage(qos, ben).submit_jobs = 5;
    records.add_user_usage(qos, ana).submit_jobs = 3;
    records.add_account_usage(qos, "bio").jobs = 6;
    records.add_account_usage(qos, "astro").jobs = 2;
    lookup.qos = "counted";

    const auto found = view();

    const model::Qos& copy = found.qos.at(*found.job_qos.qos);
    BOOST_TEST(copy.usage.jobs == 7u);
    BOOST_TEST(copy.user_usage.submit_jobs == 3u);
    BOOST_TEST(copy.account_usage.jobs == 2u);
}

BOOST_AUTO_TEST_CASE(a_user_who_never_used_the_qos_has_no_usage) {
    slurmdb_qos_rec_t& qos = records.add_qos("counted", 4);
    qos.max_submit_jobs_pu = 10;
    records.add_user_usage(qos, ben).submit_jobs = 5;
    lookup.qos = "counted";

    BOOST_TEST(view().qos.at(0).user_usage.submit_jobs == 0u);
}

BOOST_AUTO_TEST_CASE(a_qos_without_usage_record_reads_as_unused) {
    slurmdb_qos_rec_t& qos = records.add_qos("fresh", 4);
    qos.max_submit_jobs_pu = 10;
    qos.usage = nullptr;
    lookup.qos = "fresh";

    BOOST_TEST(view().qos.at(0).usage.jobs == 0u);
}

BOOST_AUTO_TEST_CASE(private_data_hides_usage_of_accounts_from_users) {
    lookup.reader = ana;
    BOOST_TEST(!view().associations.at(1).hides_usage);

    records.private_data = PRIVATE_DATA_USAGE | PRIVATE_DATA_PARTITIONS;
    const auto found = view();
    BOOST_TEST(found.hidden.usage);
    BOOST_TEST(found.hidden.partitions);
    BOOST_TEST(!found.hidden.reservations);
    BOOST_TEST(!found.associations.at(0).hides_usage); // her own
    BOOST_TEST(found.associations.at(1).hides_usage);
    BOOST_TEST(found.associations.at(2).hides_usage);
    BOOST_TEST(!found.associations.at(1).hides_limits); // sacctmgr shows them

    records.private_data |= PRIVATE_DATA_USERS;
    BOOST_TEST(!view().associations.at(0).hides_limits);
    BOOST_TEST(view().associations.at(1).hides_limits); // sacctmgr may hide them, too

    // What slurmctld still shows her about her own accounts.
    records.private_data =
        PRIVATE_DATA_JOBS | PRIVATE_DATA_NODES | PRIVATE_DATA_ACCOUNTS | PRIVATE_DATA_USERS;
    BOOST_TEST(!view().associations.at(1).hides_usage);
    BOOST_TEST(!view().associations.at(1).hides_limits);
}

BOOST_AUTO_TEST_CASE(private_data_hides_limits_of_other_users) {
    lookup.reader = ben; // of ana's job
    BOOST_TEST(!view().associations.at(0).hides_limits);
    for (const auto bit : {PRIVATE_DATA_ACCOUNTS, PRIVATE_DATA_USERS, PRIVATE_DATA_USAGE}) {
        records.private_data = static_cast<std::uint16_t>(bit);
        BOOST_TEST(view().associations.at(0).hides_limits);
        BOOST_TEST(view().associations.at(0).hides_usage);
    }
}

BOOST_AUTO_TEST_CASE(private_data_hides_nothing_from_operators) {
    records.private_data = PRIVATE_DATA_ACCOUNTS | PRIVATE_DATA_PARTITIONS;
    lookup.reader = ben;
    BOOST_TEST(view().associations.at(0).hides_limits); // ana's, from ben
    records.user_ben->admin_level = SLURMDB_ADMIN_OPERATOR;
    BOOST_TEST(!view().associations.at(0).hides_limits);
    BOOST_TEST(!view().hidden.partitions);
    lookup.reader = 0;
    BOOST_TEST(!view().associations.at(0).hides_limits);
    lookup.reader = stranger;
    BOOST_TEST(view().associations.at(0).hides_limits);
}

BOOST_AUTO_TEST_CASE(a_hidden_partition_is_hidden_from_all_but_operators) {
    in_partition("main");
    in_partition("hid", "", /*is_hidden=*/true);
    lookup.reader = ben;
    BOOST_TEST(!view().partitions.at(0).is_hidden);
    BOOST_TEST(view().partitions.at(1).is_hidden);
    BOOST_TEST(!view().reader_is_operator);
    records.add_coordinator(*records.user_ben, "astro"); // slurmctld treats coordinators like other users
    BOOST_TEST(view().partitions.at(1).is_hidden);
    records.user_ben->admin_level = SLURMDB_ADMIN_OPERATOR;
    BOOST_TEST(!view().partitions.at(1).is_hidden);
    BOOST_TEST(view().reader_is_operator);
    lookup.reader = 0;
    BOOST_TEST(!view().partitions.at(1).is_hidden);
    lookup.reader = stranger;
    BOOST_TEST(view().partitions.at(1).is_hidden);
}

BOOST_AUTO_TEST_CASE(private_partitions_are_hidden_from_all_but_operators) {
    in_partition("main");
    lookup.reader = ana;
    BOOST_TEST(!view().partitions.at(0).is_hidden);
    records.private_data = PRIVATE_DATA_PARTITIONS;
    BOOST_TEST(view().partitions.at(0).is_hidden);
    lookup.reader = 0;
    BOOST_TEST(!view().partitions.at(0).is_hidden);
}

BOOST_AUTO_TEST_CASE(who_reads_is_known_for_a_job_with_room_where_names_may_be_told) {
    struct Nothing final : quota::JobBounds {
        std::optional<model::ResourceBounds> bounds(const model::AccountView&) override {
            return model::ResourceBounds{};
        }
    } nothing;
    lookup.job_bounds = &nothing;
    lookup.reader = 0;
    records.private_data = PRIVATE_DATA_PARTITIONS;
    BOOST_TEST_REQUIRE(view().is_within_limits);
    BOOST_TEST(view().hidden.partitions); // not needed

    lookup.names_others = true;
    BOOST_TEST(!view().hidden.partitions);
    BOOST_TEST(view().reader_is_operator);
    lookup.reader = ana;
    BOOST_TEST(view().hidden.partitions);
    BOOST_TEST(!view().reader_is_operator);
    lookup.names_others = false;
    in_partition("main");
    BOOST_TEST_REQUIRE(view().is_within_limits);
    BOOST_TEST(view().partitions.at(0).is_hidden);
    lookup.reader = 0;
    BOOST_TEST(!view().partitions.at(0).is_hidden);
    lookup.reader = ana;
    records.private_data = 0;
    in_partition("hid", "", /*is_hidden=*/true);
    BOOST_TEST_REQUIRE(view().is_within_limits);
    BOOST_TEST(view().partitions.at(1).is_hidden);
}

BOOST_AUTO_TEST_CASE(a_coordinator_sees_the_accounts_coordinated) {
    records.private_data = PRIVATE_DATA_USAGE;
    lookup.reader = ana;
    records.add_coordinator(*records.user_ana, "bio");
    BOOST_TEST(view().associations.at(1).hides_usage); // astro
    lookup.account = "bio";
    BOOST_TEST(!view().associations.at(1).hides_usage);
    BOOST_TEST(view().associations.at(2).hides_usage); // root
}

BOOST_AUTO_TEST_SUITE_END()
