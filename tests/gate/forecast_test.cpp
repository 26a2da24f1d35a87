// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/gate_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>

using namespace qg;
using model::CountLimit;
using model::EnforcePartLimits;
using model::RejectCode;
using model::TresLimit;

namespace {

struct ForecastSetup : test::GateSetup {
    RejectCode code() const { return forecast().code; }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(forecast, ForecastSetup)

BOOST_AUTO_TEST_CASE(a_job_over_a_partitions_rules_waits_or_is_refused_as_slurm_conf_says) {
    struct Rule {
        const char* what;
        std::function<void(ForecastSetup&)> breaks;
        const char* pending;
        RejectCode code;
    };
    const Rule rules[] = {
        {"time",
         [](auto& s) {
             s.partitions[0].max_time = TimeLimit{60};
             s.request.time_limit = TimeLimit{61};
         },
         "PartitionTimeLimit", RejectCode::invalid_time_limit},
        {"most nodes",
         [](auto& s) {
             s.partitions[0].max_nodes = 1;
             s.request.max_nodes = 2;
         },
         "PartitionNodeLimit", RejectCode::invalid_node_count},
        {"all nodes", [](auto& s) { s.request.min_nodes = 5; }, "PartitionNodeLimit",
         RejectCode::invalid_node_count},
        {"QOS", [](auto& s) { s.partitions[0].deny_qos = {"normal"}; }, "QOSNotAllowed",
         RejectCode::invalid_qos},
        {"account", [](auto& s) { s.partitions[0].allow_accounts = {"others"}; }, "AccountNotAllowed",
         RejectCode::invalid_account},
    };
    for (const Rule& rule : rules)
        BOOST_TEST_CONTEXT(rule.what) {
            ForecastSetup setup;
            rule.breaks(setup);
            BOOST_TEST(setup.pending() == rule.pending);
            BOOST_TEST(setup.code() == RejectCode::none);

            setup.enforce_part_limits = EnforcePartLimits::all;
            BOOST_TEST(setup.code() == rule.code);
        }
}

BOOST_AUTO_TEST_CASE(accounts_are_looked_at_before_qos_through_24_05) {
    enforce_part_limits = EnforcePartLimits::all;
    partitions[0].deny_qos = {"normal"};
    partitions[0].deny_accounts = {"hpc-users"};
    BOOST_TEST(code() == RejectCode::invalid_account);

    release = limits::Release(24, 11);
    BOOST_TEST(code() == RejectCode::invalid_qos);
}

BOOST_AUTO_TEST_CASE(a_job_that_names_no_node_count_is_not_too_small_before_23_02) {
    enforce_part_limits = EnforcePartLimits::all;
    partitions[0].min_nodes = 2;
    request.min_nodes.reset();
    BOOST_TEST(code() == RejectCode::none);

    release = limits::Release(23, 2);
    BOOST_TEST(code() == RejectCode::invalid_node_count);
}

BOOST_AUTO_TEST_CASE(only_the_first_partition_can_demand_a_time_limit) {
    partitions[0].default_time = TimeLimit{0};
    request.partition = "viz,main";
    BOOST_TEST(code() == RejectCode::none);

    request.partition = "main,viz";
    BOOST_TEST(code() == RejectCode::invalid_time_limit);
}

BOOST_AUTO_TEST_CASE(a_default_time_over_the_maximum_is_refused_where_partitions_are_enforced) {
    partitions[0].default_time = TimeLimit{120};
    partitions[0].max_time = TimeLimit{60};
    BOOST_TEST(pending() == "PartitionTimeLimit");

    enforce_part_limits = EnforcePartLimits::any;
    BOOST_TEST(code() == RejectCode::invalid_time_limit);
}

BOOST_AUTO_TEST_CASE(several_partitions_need_one_association_for_all) {
    request.partition = "main,viz";
    BOOST_TEST(code() == RejectCode::none);

    records.associations.push_back(records.associations.front());
    std::string& partition = records.associations.back().link.partition;
    partition = "other";
    BOOST_TEST(code() == RejectCode::none);

    partition = "viz";
    const std::string why = "a job in partition viz cannot name other partitions: ana has an association for "
                            "that partition alone with account hpc-users; name one partition";
    for (const char* several : {"main,viz", "viz,main"}) {
        request.partition = several;
        BOOST_TEST(code() == RejectCode::partition_assoc, several);
        BOOST_TEST(test::first_line(decide().message) == why, several);
    }
    for (const char* one : {"main", "viz", "viz,viz"}) {
        request.partition = one;
        BOOST_TEST(code() == RejectCode::none, one);
    }
    request.partition = "main,viz";
    request.qos = "nosuch"; // looked up later
    BOOST_TEST(code() == RejectCode::partition_assoc);
    request.account = "nosuch"; // before
    BOOST_TEST(code() == RejectCode::invalid_account);
}

BOOST_AUTO_TEST_CASE(a_least_time_that_no_partition_allows_is_refused_everywhere) {
    partitions[0].max_time = TimeLimit{60};
    request.time_limit = TimeLimit{120};
    request.time_min = TimeLimit{30};
    BOOST_TEST(code() == RejectCode::none);
    BOOST_TEST(pending() == "");

    request.time_min = TimeLimit{90};
    BOOST_TEST(code() == RejectCode::invalid_time_min);

    enforce_part_limits = EnforcePartLimits::all; // the time limit is compared first
    BOOST_TEST(code() == RejectCode::invalid_time_limit);
    request.time_limit.reset();
    BOOST_TEST(code() == RejectCode::invalid_time_min);
    request.time_limit = TimeLimit{30};
    request.time_min = TimeLimit{31};
    BOOST_TEST(code() == RejectCode::invalid_time_min);
    request.time_min = TimeLimit{30};
    BOOST_TEST(code() == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_time_that_a_limit_gave_is_refused_afterwards_where_partitions_are_enforced) {
    partitions[0].max_time = TimeLimit{60};
    qos(0).limits.set(CountLimit::max_wall, 600);
    BOOST_TEST(forecast().time_limit.value() == TimeLimit{600});
    BOOST_TEST(pending() == "PartitionTimeLimit");

    enforce_part_limits = EnforcePartLimits::all;
    BOOST_TEST(code() == RejectCode::partition_limits);

    enforce_part_limits = EnforcePartLimits::any;
    request.partition = "main,viz";
    BOOST_TEST(code() == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(more_nodes_than_a_partition_gives_are_a_matter_of_selecting_them) {
    partitions[0].max_nodes = 1;
    request.min_nodes = request.tasks = request.min_cpus = 2;
    request.is_batch = true;
    BOOST_TEST(pending() == "PartitionNodeLimit");

    enforce_part_limits = EnforcePartLimits::all;
    BOOST_TEST(code() == RejectCode::invalid_node_count); // compared with the number sent

    request.min_nodes.reset(); // raised to MinNodes later
    partitions[0].min_nodes = 2;
    BOOST_TEST(code() == RejectCode::partition_limits);

    request.priority = 0; // held: slurmctld selects no nodes
    BOOST_TEST(code() == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_list_of_accounts_means_those_below_them_too_from_23_02_on) {
    quota::LocalAssociation science;
    science.link.level = model::AssociationLevel::account;
    science.link.account = "science";
    science.parent = 1;
    records.associations.push_back(science);
    records.associations[0].parent = 2;
    partitions[0].deny_accounts = {"Science"};
    BOOST_TEST(pending() == "");

    release = limits::Release(23, 2, 0);
    BOOST_TEST(pending() == "AccountNotAllowed");

    partitions[0].allow_accounts = {"science"};
    BOOST_TEST(pending() == "");
}

BOOST_AUTO_TEST_CASE(the_highest_tier_is_asked_first_from_24_11_on) {
    enforce_part_limits = EnforcePartLimits::any;
    request.partition = "main,viz";
    request.time_limit = TimeLimit{120};
    partitions[0].max_time = TimeLimit{60};
    partitions[1].deny_accounts = {"hpc-users"};
    partitions[1].priority_tier = 2;
    BOOST_TEST(code() == RejectCode::invalid_account); // the code of the last partition

    release = limits::Release(24, 11, 0);
    BOOST_TEST(code() == RejectCode::invalid_time_limit);
}

BOOST_AUTO_TEST_CASE(limits_on_running_jobs_hide_a_partitions_lists) {
    partitions[0].deny_qos = {"normal"};
    qos(0).limits.set(CountLimit::grp_jobs, 0);
    BOOST_TEST(pending() == "QOSGrpJobsLimit");

    partitions[0].max_time = TimeLimit{60};
    request.time_limit = TimeLimit{61};
    BOOST_TEST(pending() == "PartitionTimeLimit");
}

BOOST_AUTO_TEST_CASE(limits_on_the_allocation_win_over_the_partitions_most_nodes) {
    partitions[0].max_nodes = 1;
    request.min_nodes = 2;
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("mem"), 1);

    BOOST_TEST(pending() == "QOSMaxMemoryPerJob");
}

BOOST_AUTO_TEST_CASE(a_range_of_nodes_is_trimmed_to_what_limits_allow) {
    request.min_nodes = 1;
    request.max_nodes = 4;
    request.tasks = request.min_cpus = 4;
    request.memory = model::Memory{1000, /*per_cpu=*/false};
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("mem"), 2000);
    BOOST_TEST(pending() == "QOSMaxMemoryPerJob");

    qos(0).limits.set(TresLimit::max_tres_per_job, tres("node"), 2);
    BOOST_TEST(pending() == "");
}

BOOST_AUTO_TEST_CASE(the_partition_of_the_highest_tier_is_tried_first) {
    request.partition = "main,viz";
    partitions[0].deny_qos = {"normal"};
    partitions[1].deny_accounts = {"hpc-users"};
    BOOST_TEST(pending() == "AccountNotAllowed");

    partitions[1].priority_tier = 2;
    BOOST_TEST(pending() == "QOSNotAllowed");
}

BOOST_AUTO_TEST_CASE(from_24_11_on_a_job_is_submitted_to_partitions_in_the_order_they_are_tried) {
    for (const char* name : {"of_main", "of_viz"}) {
        quota::LocalQos extra;
        extra.qos.name = name;
        extra.qos.limits = model::Limits(records.tres->size());
        extra.qos.flags.deny_on_limit = true;
        records.qos.push_back(extra);
    }
    qos(3).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 0);
    qos(4).limits.set(TresLimit::max_tres_per_job, tres("mem"), 0);
    partitions[0].qos = "of_main";
    partitions[1].qos = "of_viz";
    partitions[1].priority_tier = 2;
    request.partition = "main,viz";
    BOOST_TEST(forecast().reason == "QOSMaxCpuPerJobLimit");

    release = limits::Release(24, 11);
    BOOST_TEST(forecast().reason == "QOSMaxMemoryPerJob");
}

BOOST_AUTO_TEST_CASE(a_job_with_fewer_tasks_than_nodes_is_refused_from_26_05_on) {
    const auto code = [&](limits::Release asked, std::uint32_t tasks) {
        release = asked;
        request.tasks = tasks;
        return forecast().code;
    };
    request.min_nodes = 3;
    BOOST_TEST(code({25, 11}, 2) == RejectCode::none);
    BOOST_TEST(code({26, 5, 0}, 3) == RejectCode::none);
    BOOST_TEST(code({26, 5, 0}, 0) == RejectCode::none);
    BOOST_TEST(code({26, 5, 0}, 2) == RejectCode::bad_task_count);
    BOOST_TEST(
        test::first_line(decide().message) ==
        "this job gets at least 3 nodes, and each needs a task; it asks for 2 tasks: ask for 3 tasks, or for "
        "fewer nodes");
    request.min_nodes.reset();
    BOOST_TEST(code({26, 5, 0}, 1) == RejectCode::none);
    partitions[0].min_nodes = 2; // raises the nodes
    BOOST_TEST(code({26, 5, 0}, 1) == RejectCode::bad_task_count);
    BOOST_TEST(code({26, 5, 0}, 2) == RejectCode::none);
    qos(0).flags.partition_min_nodes = true;
    BOOST_TEST(code({26, 5, 0}, 1) == RejectCode::none);
}

BOOST_AUTO_TEST_SUITE_END()
