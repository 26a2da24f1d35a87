// SPDX-License-Identifier: GPL-2.0-or-later
//
// What Slurm hides from a user, an answer hides, too.
#include "qosgate/base/text.hpp"
#include "support/gate_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;
using model::TresLimit;

namespace {

constexpr std::uint32_t ana = 1000, operator_id = 7;

/// Ana submits; the root account allows 4 CPUs together.
struct PrivacySetup : test::GateSetup {
    PrivacySetup() {
        request.submit_uid = ana;
        records.operators = {operator_id};
        root().limits = model::Limits(records.tres->size());
        root().limits.set(TresLimit::grp_tres, tres("cpu"), 4);
    }
    model::Association& root() { return records.associations.at(1).link; }

    std::string first_line() const { return decide().message.at(0); }
    std::string all_lines() const { return text::join(decide().message, "\n"); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(privacy, PrivacySetup)

BOOST_AUTO_TEST_CASE(limit_and_usage_of_an_account_are_told_where_they_are_public) {
    root().usage.tres = {3};
    request.tasks = request.min_cpus = 2;
    BOOST_TEST(first_line() == "this job will wait: CPUs of all running jobs in the cluster (account root): "
                               "limit 4, in use 3 (none yours), this job asks for 2 (AssocGrpCpuLimit)");
}

BOOST_AUTO_TEST_CASE(limit_and_usage_of_an_account_are_hidden_where_they_are_private) {
    records.private_data.accounts = true;
    root().usage.tres = {3};
    request.tasks = request.min_cpus = 2;
    BOOST_TEST(first_line() == "this job will wait: CPUs of all running jobs in the cluster (account root): "
                               "this job asks for 2, which is more than is left (AssocGrpCpuLimit)");

    request.tasks = request.min_cpus = 5;
    BOOST_TEST(all_lines() ==
               "this job can never start as it is: CPUs of all running jobs in the cluster (account root): "
               "this job asks for 5, which is more than the limit (AssocGrpCpuLimit)");

    request.submit_uid = operator_id;
    BOOST_TEST(first_line().find("limit 4, in use 3") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_suggestion_does_not_tell_a_hidden_limit) {
    request.tasks = request.min_cpus = 5;
    BOOST_TEST(all_lines().find("could start with: --ntasks=4") != std::string::npos);

    records.private_data.accounts = true;
    BOOST_TEST(all_lines().find("could start") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(accounts_above_the_users_own_are_not_named) {
    root().level = model::AssociationLevel::account;
    root().account = "secret-project";
    request.tasks = request.min_cpus = 5;
    BOOST_TEST(first_line().find("in account secret-project: limit 4") != std::string::npos);

    records.private_data.accounts = true;
    BOOST_TEST(first_line().find("in an account above hpc-users: this job asks for 5") != std::string::npos);
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
    BOOST_TEST(all_lines() == "there is no partition 'vix'; did you mean viz?\n  partitions: main, viz");
}

BOOST_AUTO_TEST_CASE(partitions_are_named_unless_private) {
    request.partition = "vix";
    records.private_data.partitions = true;
    BOOST_TEST(all_lines() == "there is no partition 'vix'");

    request.submit_uid = operator_id;
    BOOST_TEST(all_lines().find("partitions: main, viz") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(only_partitions_that_are_open_to_the_user_are_named) {
    const std::string all = "there is no partition 'vix'; did you mean viz?\n  partitions: main, viz";
    const std::string without = "there is no partition 'vix'\n  partitions: main";
    const model::Partition viz = partitions[1];
    request.partition = "vix";
    const auto named = [&](auto change) {
        partitions[1] = viz;
        change(partitions[1]);
        return all_lines();
    };
    BOOST_TEST(named([](auto&) {}) == all);
    BOOST_TEST(named([](auto& p) { p.has_groups = true; }) == without);
    BOOST_TEST(named([](auto& p) { p.is_for_root = true; }) == without);
    BOOST_TEST(named([](auto& p) { p.takes_jobs = false; }) == without);
    BOOST_TEST(named([](auto& p) { p.starts_jobs = false; }) == without);
    BOOST_TEST(named([](auto& p) { p.allow_accounts = {"bio"}; }) == without);
    BOOST_TEST(named([](auto& p) { p.allow_accounts = {"hpc-users"}; }) == all);
    BOOST_TEST(named([](auto& p) { p.deny_accounts = {"hpc-users"}; }) == without);
    BOOST_TEST(named([](auto& p) { p.deny_accounts = {"bio"}; }) == all);
}

BOOST_AUTO_TEST_CASE(whom_a_partition_accepts_is_told_unless_private) {
    enforce_part_limits = model::EnforcePartLimits::all;
    partitions[0].allow_accounts = {"bio"};
    BOOST_TEST(first_line() == "partition main does not accept account hpc-users (accepted: bio)");
    records.private_data.accounts = true;
    BOOST_TEST(first_line() == "partition main does not accept account hpc-users");

    partitions[0].allow_accounts.clear();
    partitions[0].deny_qos = {"normal"};
    BOOST_TEST(first_line() == "partition main does not accept QOS normal (denied: normal)");
    records.private_data.partitions = true;
    partitions[0].has_groups = true;
    BOOST_TEST(first_line() == "partition main does not accept QOS normal");
}

BOOST_AUTO_TEST_SUITE_END()
