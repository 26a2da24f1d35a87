// SPDX-License-Identifier: GPL-2.0-or-later
//
// An answer hides limits, usage and names that Slurm hides from the user.
#include "support/privacy_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::TresLimit;
using test::ana;
using test::operator_id;

namespace {

struct PrivateNamesSetup : test::PrivacySetup {
    /// A job of 5 CPUs reads that it exceeds the root's limit, one of 2 CPUs that too little is left. Neither
    /// reads the limit.
    void expect_no_limit_of_root() {
        BOOST_TEST(
            all_lines() ==
            "this job can never start as it is: CPUs of all running jobs in the cluster (account root): "
            "this job asks for 5, which is more than the limit (AssocGrpCpuLimit)");
        root().usage.tres = {3};
        request.tasks = request.min_cpus = 2;
        BOOST_TEST(first_line().find("this job asks for 2, which is more than is left") != std::string::npos);
        BOOST_TEST(first_line().find("limit 4") == std::string::npos);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(private_names, PrivateNamesSetup)

BOOST_AUTO_TEST_CASE(limit_and_usage_of_an_account_are_told_where_they_are_public) {
    root().usage.tres = {3};
    request.tasks = request.min_cpus = 2;
    BOOST_TEST(first_line() == "this job will wait: CPUs of all running jobs in the cluster (account root): "
                               "limit 4, in use 3, this job asks for 2 (AssocGrpCpuLimit)");
}

BOOST_AUTO_TEST_CASE(usage_of_an_account_is_hidden_where_it_is_private) {
    records.private_data.usage = true;
    root().usage.tres = {3};
    request.tasks = request.min_cpus = 2;
    const std::string head = "this job will wait: CPUs of all running jobs in the cluster (account root): ";
    BOOST_TEST(first_line() ==
               head + "limit 4, this job asks for 2, which is more than is left (AssocGrpCpuLimit)");
    records.associations.at(0).link.usage.tres = {1};
    BOOST_TEST(first_line() == head +
                                   "limit 4, in use at least 1 (yours), this job asks for 2, which is more "
                                   "than is left (AssocGrpCpuLimit)");

    request.tasks = request.min_cpus = 5;
    BOOST_TEST(
        first_line().find("limit 4, in use at least 1 (yours), this job asks for 5 (AssocGrpCpuLimit)") !=
        std::string::npos);
    request.tasks = request.min_cpus = 2;

    request.submit_uid = operator_id;
    BOOST_TEST(first_line().find("limit 4, in use 3 (1 of user ana in account hpc-users)") !=
               std::string::npos);
    request.submit_uid = ana;
    records.private_data = {.accounts = true}; // hides the usage of other users
    BOOST_TEST(first_line().find("limit 4, in use 3 (1 yours in account hpc-users)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(limits_of_ones_own_accounts_are_told_and_met) {
    const std::string told =
        "this job can never start as it is: CPUs of all running jobs in the cluster (account root): "
        "limit 4, this job asks for 5 (AssocGrpCpuLimit)\ncould start with: --ntasks=4";
    request.tasks = request.min_cpus = 5;
    BOOST_TEST(all_lines() == told);
    records.private_data = {.usage = true};
    BOOST_TEST(all_lines() == told);
    records.private_data = {.accounts = true};
    BOOST_TEST(all_lines() == told);

    records.private_data.usage = true; // then no command of Slurm shows them
    expect_no_limit_of_root();
}

BOOST_AUTO_TEST_CASE(limits_of_another_user_are_hidden) {
    request.tasks = request.min_cpus = 5;
    request.submit_uid = ana + 1;
    BOOST_TEST(first_line().find("limit 4, this job asks for 5") != std::string::npos);

    records.private_data.accounts = true;
    expect_no_limit_of_root();
}

BOOST_AUTO_TEST_CASE(accounts_above_another_users_own_are_not_named) {
    root().level = model::AssociationLevel::account;
    root().account = "secret-project";
    request.tasks = request.min_cpus = 5;
    records.private_data.accounts = true;
    BOOST_TEST(first_line().find("in account secret-project: limit 4") != std::string::npos);

    request.submit_uid = ana + 1;
    BOOST_TEST(first_line().find("in an account above hpc-users: this job asks for 5") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_suggestion_does_not_tell_a_hidden_usage) {
    records.enforce.safe = true;
    usage_lasts = true;
    root().limits = model::Limits(records.tres->size());
    root().limits.set(TresLimit::grp_tres_mins, tres("cpu"), 100);
    root().usage.tres_minutes = {60};
    request.time_limit = TimeLimit{41};
    BOOST_TEST(all_lines().find("could start with: --time=00:40:00") != std::string::npos);

    records.private_data.usage = true;
    BOOST_TEST(all_lines().find("limit 100, this job asks for 41 (1 CPU for 00:41:00), which is more than is "
                                "left") != std::string::npos);
    BOOST_TEST(all_lines().find("could start") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(accounts_of_another_user_are_not_listed) {
    const std::string listed = "\n  accounts that you can use: hpc-users";
    request.account = "hpc";
    BOOST_TEST(all_lines().ends_with(listed));
    records.private_data.accounts = true;
    BOOST_TEST(all_lines().ends_with(listed)); // Ana's own

    request.submit_uid = ana + 1;
    BOOST_TEST(all_lines() == "user id 1000 may not use account 'hpc'\n"
                              "  your accounts: sacctmgr show associations user=$USER");
    request.submit_uid = operator_id;
    BOOST_TEST(all_lines().ends_with(listed));
}

BOOST_AUTO_TEST_CASE(nor_are_those_for_another_partition) {
    records.associations.at(0).link.partition = "viz";
    request.account = "hpc-users";
    request.partition = "main";
    records.private_data.accounts = true;
    const std::string listed = "\n  accounts that you can use: hpc-users in partition viz";
    BOOST_TEST(all_lines().ends_with(listed));
    request.submit_uid = ana + 1;
    BOOST_TEST(all_lines().find("viz") == std::string::npos);
    request.submit_uid = operator_id;
    BOOST_TEST(all_lines().ends_with(listed));
}

BOOST_AUTO_TEST_CASE(the_users_own_limits_are_told) {
    records.private_data.accounts = true;
    model::Limits& own = records.associations.at(0).link.limits;
    own = model::Limits(records.tres->size());
    own.set(TresLimit::max_tres_per_job, tres("cpu"), 2);
    request.tasks = request.min_cpus = 3;
    BOOST_TEST(first_line().find("limit 2, this job asks for 3") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(hidden_partitions_are_not_named) {
    partitions[1].is_hidden = true;
    request.partition = "vix";
    BOOST_TEST(all_lines() == "there is no partition 'vix'\n  partitions: main");

    partitions[1].is_hidden = false;
    BOOST_TEST(all_lines() == "there is no partition 'vix'; did you mean viz?\n  partitions: viz, main");
}

BOOST_AUTO_TEST_CASE(partitions_are_named_unless_private) {
    request.partition = "vix";
    records.private_data.partitions = true;
    BOOST_TEST(all_lines() == "there is no partition 'vix'");

    request.submit_uid = operator_id;
    BOOST_TEST(all_lines().find("partitions: viz, main") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(only_partitions_that_are_open_to_the_user_are_named) {
    const std::string all = "there is no partition 'vix'; did you mean viz?\n  partitions: viz, main";
    const std::string without = "there is no partition 'vix'\n  partitions: main";
    const model::Partition viz = partitions[1];
    request.partition = "vix";
    const auto named = [&](auto change) {
        partitions[1] = viz;
        change(partitions[1]);
        return all_lines();
    };
    BOOST_TEST(named([](auto&) {}) == all);
    BOOST_TEST(named([](auto& p) { p.allow_groups = {"lab"}; }) == without);
    BOOST_TEST(named([](auto& p) { p.is_for_root = true; }) == without);
    BOOST_TEST(named([](auto& p) { p.takes_jobs = false; }) == without);
    BOOST_TEST(named([](auto& p) { p.starts_jobs = false; }) == without);
    BOOST_TEST(named([](auto& p) { p.allow_accounts = {"bio"}; }) == without);
    BOOST_TEST(named([](auto& p) { p.allow_accounts = {"hpc-users"}; }) == all);
    BOOST_TEST(named([](auto& p) { p.deny_accounts = {"hpc-users"}; }) == without);
    BOOST_TEST(named([](auto& p) { p.deny_accounts = {"bio"}; }) == all);
}

BOOST_AUTO_TEST_CASE(operators_are_told_of_partitions_that_others_do_not_see) {
    partitions[1].is_hidden = true;
    request.partition = "vix";
    request.submit_uid = operator_id;
    BOOST_TEST(all_lines() == "there is no partition 'vix'; did you mean viz?\n  partitions: viz, main");
    partitions[1].is_hidden = false;
    partitions[1].allow_groups = {"lab"};
    records.private_data.partitions = true;
    BOOST_TEST(all_lines() == "there is no partition 'vix'; did you mean viz?\n  partitions: viz, main");
}

BOOST_AUTO_TEST_SUITE_END()
