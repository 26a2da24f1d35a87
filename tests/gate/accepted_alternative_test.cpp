// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/gate_setup.hpp"

#include "qosgate/gate/predict/accepted_alternative.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;

namespace {

/// A job of two hours. QOS normal and partition main allow one hour each.
struct ElsewhereSetup : test::GateSetup {
    policy::Settings settings;
    gate::IsGood is_good = [](const model::JobRequest&) { return true; };

    ElsewhereSetup() {
        qos(0).flags.deny_on_limit = true;
        request.time_limit = TimeLimit{120};
        for (auto& partition : partitions)
            partition.total_cpus = 256;
        quota::LocalAssociation other = records.associations[0];
        other.link.account = "guests";
        other.permitted_qos = {{"normal", "secret"}};
        records.associations.push_back(other);
    }

    std::optional<model::JobRequest> elsewhere() const {
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        const auto asked = gate::resolve(request, {c, provider, release});
        return gate::find_accepted_alternative(asked, limits::Strictness::as_configured, settings, is_good);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(elsewhere, ElsewhereSetup)

BOOST_AUTO_TEST_CASE(what_is_not_good_is_left_out) {
    records.associations[0].permitted_qos = {{"normal", "moonlight", "secret"}};
    qos(0).limits.set(CountLimit::max_wall, 60);
    std::string asked;
    is_good = [&](const model::JobRequest& other) {
        asked += other.qos.value_or("") + other.partition.value_or("") + " ";
        return other.partition == "viz";
    };
    BOOST_TEST(!elsewhere().has_value());
    BOOST_TEST(asked == "moonlight secret ");
    is_good = [](const model::JobRequest& other) { return other.qos == "secret"; };
    BOOST_TEST(elsewhere().value().qos == "secret");
}

BOOST_AUTO_TEST_CASE(finds_another_qos_that_is_open_to_the_user_and_takes_the_job) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    BOOST_TEST(elsewhere().value().qos == "moonlight");

    qos(1).limits.set(CountLimit::max_wall, 90);
    BOOST_TEST(!elsewhere().has_value());
}

BOOST_AUTO_TEST_CASE(the_users_default_comes_before_others) {
    records.associations[0].permitted_qos = {{"normal", "moonlight", "secret"}};
    qos(0).limits.set(CountLimit::max_wall, 60);
    BOOST_TEST(elsewhere().value().qos == "moonlight");
    records.associations[0].default_qos = "secret";
    request.qos = "normal";
    BOOST_TEST(elsewhere().value().qos == "secret");

    qos(2).limits.set(CountLimit::max_wall, 60);
    qos(2).flags.deny_on_limit = true;
    BOOST_TEST(elsewhere().value().qos == "moonlight");
}

BOOST_AUTO_TEST_CASE(the_users_default_account_comes_before_others) {
    quota::LocalAssociation first = records.associations[0];
    first.link.account = "zoo";
    records.associations.push_back(first);
    request.account = "guests";
    partitions[0].deny_accounts = partitions[1].deny_accounts = {"guests"};
    BOOST_TEST(elsewhere().value().account == "hpc-users");
    std::swap(records.associations.front(), records.associations.back());
    BOOST_TEST(elsewhere().value().account == "zoo");
}

BOOST_AUTO_TEST_CASE(finds_another_partition_that_takes_the_job) {
    partitions[0].max_time = TimeLimit{60};
    BOOST_TEST(elsewhere().value().partition == "viz");

    partitions[1].max_time = TimeLimit{90};
    BOOST_TEST(!elsewhere().has_value());
}

BOOST_AUTO_TEST_CASE(finds_no_partition_that_gives_whole_nodes) {
    partitions[0].max_time = TimeLimit{60};
    partitions[1].gives_whole_nodes = true;
    BOOST_TEST(!elsewhere().has_value());
}

BOOST_AUTO_TEST_CASE(counts_the_nodes_that_tasks_fill_elsewhere_too) {
    partitions[0].max_time = TimeLimit{60};
    qos(0).limits.set(model::TresLimit::max_tres_mins_per_job, tres("node"), 120);
    request.min_nodes.reset();
    request.tasks = request.min_cpus = 64;
    BOOST_TEST(elsewhere().value().partition == "viz");

    request.tasks = request.min_cpus = 65;
    BOOST_TEST(!elsewhere().has_value());
}

BOOST_AUTO_TEST_CASE(finds_nothing_that_leaves_a_node_without_the_gpus_of_tasks) {
    partitions[0].deny_qos = {"normal"};
    enforce_part_limits = model::EnforcePartLimits::all;
    request.tres_per_task = "gres:gpu:1";
    request.min_nodes.reset();
    BOOST_TEST(elsewhere().value().qos == "moonlight");

    partitions[0].min_nodes = 2; // raises the job's minimum of nodes
    BOOST_TEST(!elsewhere().has_value());
    request.tasks = request.min_cpus = 2;
    BOOST_TEST(elsewhere().value().qos == "moonlight");
}

BOOST_AUTO_TEST_CASE(never_names_a_partition_that_is_not_for_everybody) {
    partitions[0].max_time = TimeLimit{60};
    partitions[1].is_for_everybody = false;

    BOOST_TEST(!elsewhere().has_value());
}

BOOST_AUTO_TEST_CASE(names_no_partition_whose_nodes_may_lack_what_the_job_asks_for) {
    partitions[0].max_time = TimeLimit{60};

    request.cpus_per_task = request.min_cpus = 65; // a node has 64
    BOOST_TEST(!elsewhere().has_value());
    request.cpus_per_task = request.min_cpus = 64;
    BOOST_TEST(elsewhere().has_value());

    request.memory = model::Memory{partitions[1].node_memory_mib + 1, /*per_cpu=*/false};
    BOOST_TEST(!elsewhere().has_value());
    request.memory = model::Memory{partitions[1].node_memory_mib, /*per_cpu=*/false};
    BOOST_TEST(elsewhere().has_value());

    request.tres_per_job = "gres:gpu:1";
    BOOST_TEST(!elsewhere().has_value());
}

BOOST_AUTO_TEST_CASE(a_wait_that_passes_hides_nothing_that_does_not) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    qos(1).limits.set(CountLimit::max_jobs_per_user, 1);
    records.qos[1].users[1000].jobs = 1;
    BOOST_TEST(elsewhere().value().qos == "moonlight");

    partitions[0].deny_qos = partitions[1].deny_qos = {"moonlight"};
    BOOST_TEST(!elsewhere().has_value());
}

BOOST_AUTO_TEST_CASE(finds_another_account_of_the_user) {
    partitions[0].deny_accounts = partitions[1].deny_accounts = {"hpc-users"};
    BOOST_TEST(elsewhere().value().account == "guests");

    partitions[0].deny_accounts = partitions[1].deny_accounts = {"hpc-users", "guests"};
    BOOST_TEST(!elsewhere().has_value());
}

BOOST_AUTO_TEST_CASE(an_account_whose_default_qos_the_site_does_not_list_is_not_found) {
    records.associations.back().default_qos = "secret";
    partitions[0].deny_accounts = partitions[1].deny_accounts = {"hpc-users"};
    BOOST_TEST(elsewhere().value().account == "guests");
    settings.suggest_qos = {"moonlight"};
    BOOST_TEST(!elsewhere().has_value());
    settings.suggest_qos = {"Secret"};
    BOOST_TEST(elsewhere().value().account == "guests");

    settings.suggest_qos.emplace(); // none but the job's own
    BOOST_TEST(!elsewhere().has_value());
    records.associations.back().default_qos = "normal";
    BOOST_TEST(elsewhere().value().account == "guests");
}

BOOST_AUTO_TEST_CASE(finds_the_account_with_which_the_user_may_use_the_qos) {
    request.qos = "secret";
    BOOST_TEST(elsewhere().value().account == "guests");
    qos(2).flags.deny_on_limit = true;
    qos(2).limits.set(CountLimit::max_wall, 119);
    BOOST_TEST(!elsewhere().has_value());
    qos(2).limits.set(CountLimit::max_wall, 120);
    BOOST_TEST(elsewhere().has_value());
    records.associations.back().permitted_qos = {{"normal"}};
    BOOST_TEST(!elsewhere().has_value());
}

BOOST_AUTO_TEST_CASE(accounts_that_the_reader_may_not_know_are_not_named) {
    partitions[0].deny_accounts = partitions[1].deny_accounts = {"hpc-users"};
    records.private_data.accounts = true;
    request.submit_uid = request.user_id;
    BOOST_TEST(elsewhere().value().account == "guests");
    request.submit_uid = 1001;
    BOOST_TEST(!elsewhere().has_value());
    records.operators = {1001};
    BOOST_TEST(elsewhere().value().account == "guests");
}

BOOST_AUTO_TEST_CASE(a_qos_that_does_not_exist_is_not_replaced) {
    request.qos = "moonlite";
    BOOST_TEST(!elsewhere().has_value());
}

BOOST_AUTO_TEST_SUITE_END()
