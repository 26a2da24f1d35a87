// SPDX-License-Identifier: GPL-2.0-or-later
//
// An answer hides what Slurm hides from the user about a partition.
#include "support/policy_files.hpp"
#include "support/privacy_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;
using model::TresLimit;
using test::ana;
using test::operator_id;

BOOST_FIXTURE_TEST_SUITE(privacy, test::PrivacySetup)

BOOST_AUTO_TEST_CASE(of_a_hidden_partition_no_limit_is_told_and_none_refuses) {
    partitions[0].max_nodes = 2;
    partitions[0].max_time = TimeLimit{30};
    partitions[0].total_cpus = 8;
    root().limits = {};
    const std::string nodes = "partition main allows at most 2 nodes per job; this job asks for 3";
    const std::string time =
        "wall time per job in partition main: limit 00:30:00, this job asks for 00:31:00";
    const std::string cpus = "partition main has 8 CPUs; this job asks for 9";
    const auto policy = test::load_site("site { limits = 'enforce' }");
    const auto tells_of = [&](std::uint32_t count, std::uint32_t minutes, std::uint32_t tasks) {
        request.min_nodes = request.max_nodes = count;
        request.time_limit = TimeLimit{minutes};
        request.tasks = request.min_cpus = tasks;
        const model::Decision decision = decide(policy.get());
        BOOST_TEST(decision.message.empty() == (decision.reject == RejectCode::none));
        return text::join(decision.message, "\n");
    };
    for (const auto enforce :
         {model::EnforcePartLimits::all, model::EnforcePartLimits::any, model::EnforcePartLimits::no}) {
        enforce_part_limits = enforce;
        const auto reader_of_all = [&] {
            BOOST_TEST(tells_of(2, 30, 8).empty());
            BOOST_TEST(tells_of(3, 30, 8).find(nodes) != std::string::npos);
            BOOST_TEST(tells_of(2, 31, 8).find(time) != std::string::npos);
            BOOST_TEST(tells_of(2, 30, 9).find(cpus) != std::string::npos);
        };
        const auto reader_of_nothing = [&] {
            for (const std::uint32_t over : {0u, 1u}) {
                BOOST_TEST(tells_of(2 + over, 30, 8).empty());
                BOOST_TEST(tells_of(2, 30 + over, 8).empty());
                BOOST_TEST(tells_of(2, 30, 8 + over).empty());
            }
        };
        reader_of_all();
        partitions[0].is_hidden = true;
        reader_of_nothing();
        request.submit_uid = operator_id;
        reader_of_all();
        request.submit_uid = ana;
        partitions[0].is_hidden = false;

        partitions[0].allow_groups = {"lab"};
        reader_of_all();
        records.private_data.partitions = true;
        reader_of_nothing();
        records.private_data.partitions = false;
        partitions[0].allow_groups.clear();
    }
}

BOOST_AUTO_TEST_CASE(of_a_hidden_partition_no_time_is_told) {
    partitions[0].max_time = TimeLimit{30};
    root().limits = {};
    request.time_limit = TimeLimit{40};
    request.time_min = TimeLimit{31};
    BOOST_TEST(first_line().find("limit 00:30:00, this job asks for 00:31:00") != std::string::npos);
    partitions[0].is_hidden = true;
    BOOST_TEST(all_lines() == "");

    request.time_limit = request.time_min = std::nullopt;
    partitions[0].default_time = TimeLimit{0};
    BOOST_TEST(all_lines() == "");
    partitions[0].is_hidden = false;
    BOOST_TEST(first_line() == "partition main requires a time limit: add --time");
}

BOOST_AUTO_TEST_CASE(a_partition_that_is_shown_is_told_of_before_a_hidden_one_only) {
    enforce_part_limits = model::EnforcePartLimits::all;
    root().limits = {};
    partitions[0].max_nodes = partitions[1].max_nodes = 2;
    request.min_nodes = request.max_nodes = 3;
    request.partition = "main,viz";
    partitions[1].is_hidden = true;
    const std::string nodes = "partition main allows at most 2 nodes per job; this job asks for 3";
    BOOST_TEST(all_lines() == nodes);
    BOOST_TEST(int(decide().forecast.code) == int(RejectCode::invalid_node_count));
    request.partition = "viz,main"; // Slurm's answer may be that of viz
    BOOST_TEST(all_lines() == "");
    BOOST_TEST(int(decide().forecast.code) == int(RejectCode::none));
    request.partition = "main,viz"; // main may accept it
    enforce_part_limits = model::EnforcePartLimits::any;
    BOOST_TEST(all_lines() == "");
}

BOOST_AUTO_TEST_CASE(of_a_hidden_partition_no_list_is_told) {
    enforce_part_limits = model::EnforcePartLimits::all;
    partitions[0].allow_qos = {"moonlight"};
    partitions[0].is_hidden = true;
    BOOST_TEST(all_lines() == "");
    request.submit_uid = operator_id;
    BOOST_TEST(first_line() == "partition main does not accept QOS normal (accepted: moonlight)");
    partitions[0].allow_qos.clear();
    partitions[0].allow_accounts = {"bio"};
    BOOST_TEST(first_line() == "partition main does not accept account hpc-users (accepted: bio)");
    request.submit_uid = ana;
    BOOST_TEST(all_lines() == "");
}

BOOST_AUTO_TEST_CASE(of_a_hidden_partition_neither_the_qos_nor_its_limits_are_told) {
    partitions[0].qos = "secret";
    qos(2).limits.set(TresLimit::max_tres_per_user, tres("cpu"), 4);
    qos(2).flags.deny_on_limit = true;
    request.tasks = request.min_cpus = 5;
    const std::string problem = "partition main (QOS secret) does not allow this job:\n"
                                "  CPUs per user: limit 4, this job asks for 5 (QOSMaxCpuPerUserLimit)";
    const std::string told = problem + "\nwould be accepted with: --ntasks=4";
    root().limits = {};
    BOOST_TEST(all_lines() == told);
    partitions[0].allow_groups = {"lab"}; // Slurm shows it to everybody who asks for all partitions
    BOOST_TEST(all_lines() == problem);   // nobody knows who is in the group

    records.private_data.partitions = true;
    BOOST_TEST(all_lines() == "");
    partitions[0].allow_groups.clear(); // then Slurm shows no partition at all
    BOOST_TEST(all_lines() == "");
    records.private_data.partitions = false;
    BOOST_TEST(all_lines() == told);
    partitions[0].is_hidden = true;
    BOOST_TEST(all_lines() == "");
    request.submit_uid = operator_id;
    BOOST_TEST(all_lines() == told);
}

BOOST_AUTO_TEST_CASE(for_limits_of_the_qos_of_a_hidden_partition_nothing_is_refused) {
    partitions[0].qos = "secret";
    qos(2).limits.set(TresLimit::grp_tres, tres("cpu"), 17);
    root().limits = {};
    const auto policy = test::load_site("site { limits = 'enforce' }");
    const auto refuses = [&](std::uint32_t tasks) {
        request.tasks = request.min_cpus = tasks;
        const model::Decision decision = decide(policy.get());
        BOOST_TEST(decision.message.empty() == (decision.reject == RejectCode::none));
        return decision.reject == RejectCode::accounting_policy;
    };
    BOOST_TEST(!refuses(17));
    BOOST_TEST(refuses(18));
    partitions[0].is_hidden = true;
    BOOST_TEST(!refuses(17));
    BOOST_TEST(!refuses(18));
    request.submit_uid = operator_id;
    BOOST_TEST(!refuses(17));
    BOOST_TEST(refuses(18));
}

BOOST_AUTO_TEST_CASE(the_qos_of_a_hidden_partition_comes_before_other_limits_all_the_same) {
    partitions[0].qos = "secret";
    qos(2).limits.set(TresLimit::grp_tres, tres("cpu"), 17);
    partitions[0].is_hidden = true;
    request.tasks = request.min_cpus = 5; // more than the root account allows; the QOS overrides that limit
    BOOST_TEST(all_lines() == "");

    qos(2).limits = model::Limits(records.tres->size());
    qos(2).limits.set(TresLimit::max_tres_per_job, tres("node"), 1);
    BOOST_TEST(first_line().find("account root): limit 4, this job asks for 5") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(of_the_qos_of_a_hidden_partition_no_node_limit_is_told) {
    partitions[0].qos = "secret";
    qos(2).limits.set(TresLimit::max_tres_per_job, tres("node"), 2);
    root().limits = {};
    request.min_nodes = request.max_nodes = 3;
    BOOST_TEST(first_line().find("limit 2, this job asks for 3") != std::string::npos);
    partitions[0].is_hidden = true;
    BOOST_TEST(all_lines() == "");
}

BOOST_AUTO_TEST_CASE(the_qos_of_a_hidden_partition_gives_a_job_fewer_nodes_all_the_same) {
    partitions[0].qos = "secret";
    qos(2).limits.set(TresLimit::max_tres_per_job, tres("node"), 2);
    root().limits = {};
    request.min_nodes = 1;
    request.max_nodes = 4; // all nodes that exist, so that the number reveals nothing
    request.tasks_per_node = 1;
    request.tasks.reset();
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 2);
    request.qos = "normal";
    partitions[0].is_hidden = true;
    BOOST_TEST(all_lines() == ""); // 2 of the 4 nodes, and so 2 CPUs
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 1);
    BOOST_TEST(all_lines() == ""); // 2 CPUs would reveal the 2 nodes
    qos(2).limits = model::Limits(records.tres->size());
    BOOST_TEST(all_lines() != "");
}

BOOST_AUTO_TEST_CASE(a_time_that_a_hidden_partition_gives_is_not_told) {
    root().limits = model::Limits(records.tres->size());
    model::Limits& own = records.associations.at(0).link.limits;
    own = root().limits;
    own.set(TresLimit::max_tres_mins_per_job, tres("cpu"), 100);
    partitions[0].qos = "secret";
    qos(2).limits.set(model::CountLimit::max_wall, 180);
    BOOST_TEST(first_line().find("limit 100, this job asks for 180 (1 CPU for 03:00:00)") !=
               std::string::npos);
    partitions[0].is_hidden = true;
    BOOST_TEST(all_lines() == "");
    qos(2).limits = model::Limits(records.tres->size());
    partitions[0].default_time = TimeLimit{180};
    BOOST_TEST(all_lines() == "");

    request.time_limit = TimeLimit{101}; // the user's own
    BOOST_TEST(first_line().find("limit 100, this job asks for 101 (1 CPU for 01:41:00)") !=
               std::string::npos);
    request.time_limit = TimeLimit{100};
    BOOST_TEST(all_lines() == "");
    request.time_limit.reset();
    request.submit_uid = operator_id;
    BOOST_TEST(first_line().find("03:00:00") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_time_that_a_hidden_partition_gives_is_not_told_of_another_one) {
    root().limits = {};
    partitions[0].qos = "secret";
    qos(2).limits.set(model::CountLimit::max_wall, 180);
    partitions[1].max_time = TimeLimit{60};
    request.partition = "main,viz";
    request.priority = 0;
    partitions[0].deny_qos = {"normal"};
    BOOST_TEST(all_lines().find("this job asks for 03:00:00") != std::string::npos);
    partitions[0].is_hidden = true;
    BOOST_TEST(all_lines() == "");
}

BOOST_AUTO_TEST_CASE(memory_and_billing_of_a_hidden_partition_are_not_told) {
    root().limits = {};
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("mem"), 999);
    BOOST_TEST(first_line().find("limit 999M, this job asks for 1000M") != std::string::npos);
    partitions[0].is_hidden = true;
    BOOST_TEST(all_lines() == "");
    request.memory = model::Memory{1000, /*per_cpu=*/false};
    BOOST_TEST(first_line().find("limit 999M, this job asks for 1000M") != std::string::npos);
    request.memory->mib = 999;
    BOOST_TEST(all_lines() == "");

    qos(0).limits = model::Limits(records.tres->size());
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("billing"), 4);
    partitions[0].billing_weights = "CPU=5";
    BOOST_TEST(all_lines() == "");
    partitions[0].is_hidden = false;
    BOOST_TEST(first_line().find("limit 4, this job asks for 5") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_qos_of_a_hidden_partition_and_another_is_told_of_the_other) {
    partitions[0].qos = partitions[1].qos = "secret";
    partitions[0].is_hidden = true;
    qos(2).limits.set(TresLimit::max_tres_per_user, tres("cpu"), 4);
    qos(2).flags.deny_on_limit = true;
    root().limits = {};
    request.tasks = request.min_cpus = 5;
    request.partition = "main,viz";
    BOOST_TEST(first_line() == "partition viz (QOS secret) does not allow this job:");
}

BOOST_AUTO_TEST_CASE(of_a_hidden_partition_no_least_is_told) {
    partitions[0].qos = "secret";
    qos(2).limits.set(TresLimit::min_tres_per_job, tres("cpu"), 4);
    qos(2).flags.deny_on_limit = true;
    root().limits = {};
    BOOST_TEST(all_lines().find("at least 4 CPUs") != std::string::npos);
    partitions[0].is_hidden = true;
    BOOST_TEST(all_lines() == "");
}

BOOST_AUTO_TEST_CASE(the_users_own_qos_is_told_in_a_hidden_partition_and_nothing_is_suggested) {
    partitions[0].is_hidden = true;
    qos(0).limits.set(TresLimit::max_tres_per_user, tres("cpu"), 4);
    qos(0).flags.deny_on_limit = true;
    request.tasks = request.min_cpus = 5;
    root().limits = {};
    BOOST_TEST(all_lines() == "QOS normal does not allow this job:\n"
                              "  CPUs per user: limit 4, this job asks for 5 (QOSMaxCpuPerUserLimit)");
}

BOOST_AUTO_TEST_CASE(of_a_hidden_partition_neither_state_nor_nodes_are_told) {
    root().limits = {};
    partitions[0].takes_jobs = false;
    partitions[0].node_kinds = {{.count = 4, .cpus = 2, .memory_mib = 1000}};
    request.cpus_per_task = 3;
    BOOST_TEST(all_lines().find("is drained") != std::string::npos);
    BOOST_TEST(all_lines().find("the largest has 2") != std::string::npos);
    partitions[0].is_hidden = true;
    BOOST_TEST(all_lines() == "");
}

BOOST_AUTO_TEST_CASE(of_a_hidden_partition_no_size_of_whole_nodes_is_told) {
    request.exclusive = true;
    partitions[0].min_node_cpus = 4;
    BOOST_TEST(decide().message.empty());
    partitions[0].min_node_cpus = 5;
    BOOST_TEST(first_line().find("this job asks for 5") != std::string::npos);
    partitions[0].is_hidden = true;
    BOOST_TEST(decide().message.empty());
    request.exclusive = false;
    partitions[0].gives_whole_nodes = true;
    BOOST_TEST(decide().message.empty());
}

BOOST_AUTO_TEST_CASE(whom_a_partition_accepts_is_told_unless_private) {
    enforce_part_limits = model::EnforcePartLimits::all;
    partitions[0].allow_accounts = {"bio"};
    BOOST_TEST(first_line() == "partition main does not accept account hpc-users (accepted: bio)");
    records.private_data = {.accounts = true, .usage = true}; // scontrol show partition shows it nevertheless
    BOOST_TEST(first_line() == "partition main does not accept account hpc-users (accepted: bio)");

    partitions[0].allow_accounts.clear();
    partitions[0].deny_qos = {"normal"};
    BOOST_TEST(first_line() == "partition main does not accept QOS normal (denied: normal)");
    partitions[0].allow_groups = {"lab"};
    BOOST_TEST(first_line() == "partition main does not accept QOS normal (denied: normal)");
    partitions[0].allow_groups.clear();
    records.private_data.partitions = true;
    BOOST_TEST(all_lines() == "");
}

BOOST_AUTO_TEST_SUITE_END()
