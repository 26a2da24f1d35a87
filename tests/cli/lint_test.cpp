// SPDX-License-Identifier: GPL-2.0-or-later
//
// Each check of lint: a cluster in which it finds something, and its twin in which it does not.
#include "report/lint_checks.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>

using namespace qg;
using cli::Finding;
using cli::LintAssociation;
using cli::LintInput;
using model::AssociationLevel;
using model::CountLimit;
using model::QosRecord;
using model::TresLimit;

namespace {

QosRecord qos(const char* name) {
    QosRecord record;
    record.name = name;
    return record;
}

model::Partition partition(const char* name) {
    model::Partition partition;
    partition.name = name;
    partition.max_time = {60};
    partition.tres = "cpu=64,mem=100G,node=2,gres/gpu=4";
    return partition;
}

/// QOSs normal, a and b; ana, in account bio below lab, may use them; one partition. Nothing is wrong.
LintInput cluster() {
    LintInput input;
    input.settings.enforce = {.associations = true, .limits = true, .qos = true, .safe = true};
    input.settings.tres = {"cpu", "mem", "energy", "node", "billing", "gres/gpu"};
    input.settings.priority_weight_qos = 1000;
    input.settings.preempt_type = "preempt/qos";
    input.qos = {qos("normal"), qos("a"), qos("b")};
    const model::Limits none(input.tres->size());
    input.associations = {
        {.level = AssociationLevel::root, .account = "root", .limits = none},
        {.level = AssociationLevel::account, .account = "lab", .parent = 0, .limits = none},
        {.level = AssociationLevel::account, .account = "bio", .parent = 1, .limits = none},
        {.account = "bio",
         .user = "ana",
         .parent = 2,
         .qos = std::vector<std::string>{"normal", "a", "b"},
         .limits = none},
    };
    input.partitions = {partition("main")};
    return input;
}

using Change = void (*)(LintInput& input);

/// A check, what makes it find something, and what almost does.
struct Case {
    const char* code;
    Change broken;
    Change clean;
};

QosRecord& a(LintInput& input) {
    return input.qos.at(1);
}

/// Gives the partition QOS b.
QosRecord& of_partition(LintInput& input) {
    input.partitions.front().qos = "b";
    return input.qos.at(2);
}

const Case cases[] = {
    {"limits-not-enforced",
     [](LintInput& input) { input.settings.enforce.limits = false, a(input).grp_jobs = 5; },
     [](LintInput& input) { input.settings.enforce.limits = false; }},
    {"limits-not-enforced",
     [](LintInput& input) {
         input.settings.enforce.limits = false, input.associations[1].limits.set(CountLimit::grp_jobs, 5);
     },
     [](LintInput& input) { input.associations[1].limits.set(CountLimit::grp_jobs, 5); }},
    {"qos-not-enforced",
     [](LintInput& input) { input.settings.enforce.qos = false, input.associations[3].qos->pop_back(); },
     [](LintInput& input) { input.settings.enforce.qos = false; }},
    {"not-safe", [](LintInput& input) { input.settings.enforce.safe = false, a(input).grp_wall_minutes = 5; },
     [](LintInput& input) { input.settings.enforce.safe = false, a(input).max_wall_minutes = 5; }},
    {"past-not-counted",
     [](LintInput& input) {
         input.settings.priority_type = "priority/basic", a(input).grp_tres_mins["cpu"] = 5;
     },
     [](LintInput& input) { input.settings.priority_type = "priority/basic", a(input).grp_tres["cpu"] = 5; }},
    {"priority-ignored",
     [](LintInput& input) { input.settings.priority_weight_qos = 0, a(input).priority = 1; },
     [](LintInput& input) { input.settings.priority_weight_qos = 1, a(input).priority = 1; }},
    {"priority-ignored",
     [](LintInput& input) { input.settings.priority_type = "priority/basic", a(input).priority = 1; },
     [](LintInput& input) { input.settings.priority_type = "priority/basic"; }},
    {"tres-not-tracked", [](LintInput& input) { a(input).grp_tres["license/foo"] = 5; },
     [](LintInput& input) { a(input).grp_tres["gres/gpu"] = 2; }},
    {"preemption-ignored",
     [](LintInput& input) { input.settings.preempt_type = "preempt/none", a(input).preempt = {"b"}; },
     [](LintInput& input) { a(input).preempt = {"b"}; }},
    {"preemption-ignored",
     [](LintInput& input) {
         input.settings.preempt_type = "preempt/partition_prio", a(input).grace_time_seconds = 5;
     },
     [](LintInput& input) {
         input.settings.preempt_type = "preempt/partition_prio", a(input).preempt_exempt_seconds = 5;
     }},
    {"preemption-loop", [](LintInput& input) { a(input).preempt = {"b"}, input.qos[2].preempt = {"a"}; },
     [](LintInput& input) { a(input).preempt = {"b"}, input.qos[2].preempt = {"normal"}; }},
    {"preemption-loop", [](LintInput& input) { a(input).preempt = {"a"}; },
     [](LintInput& input) { a(input).preempt = {"deleted"}; }},
    {"run-minutes-ignored",
     [](LintInput& input) {
         input.release = limits::Release(23, 11), a(input).max_tres_run_mins_per_user["cpu"] = 5;
     },
     [](LintInput& input) {
         input.release = limits::Release(24, 5), a(input).max_tres_run_mins_per_user["cpu"] = 5;
     }},
    {"limit-never-binds",
     [](LintInput& input) { a(input).max_tres_per_user["cpu"] = 9, a(input).grp_tres["cpu"] = 8; },
     [](LintInput& input) { a(input).max_tres_per_user["cpu"] = 8, a(input).grp_tres["cpu"] = 8; }},
    {"limit-never-binds",
     [](LintInput& input) { a(input).max_tres_per_node["cpu"] = 9, a(input).max_tres_per_job["cpu"] = 8; },
     [](LintInput& input) {
         a(input).max_tres_per_user["cpu"] = 9, a(input).max_tres_per_account["cpu"] = 8;
     }},
    {"limit-never-binds",
     [](LintInput& input) { a(input).max_jobs_per_user = 6, a(input).max_submit_jobs_per_user = 5; },
     [](LintInput& input) { a(input).max_jobs_per_user = 5, a(input).max_submit_jobs_per_user = 6; }},
    {"limit-never-binds",
     [](LintInput& input) { a(input).max_tres_per_job["cpu"] = 9, a(input).grp_tres["cpu"] = 8; },
     [](LintInput& input) { a(input).max_tres_mins_per_job["cpu"] = 9, a(input).grp_tres_mins["cpu"] = 8; }},
    {"group-above-parent",
     [](LintInput& input) {
         input.associations[1].limits.set(TresLimit::grp_tres, 0, 8);
         input.associations[3].limits.set(TresLimit::grp_tres, 0, 9);
     },
     [](LintInput& input) {
         input.associations[1].limits.set(TresLimit::grp_tres, 0, 8);
         input.associations[3].limits.set(TresLimit::grp_tres, 0, 8);
         input.associations[2].limits.set(TresLimit::grp_tres, 1, 9);
     }},
    {"wall-above-partitions", [](LintInput& input) { a(input).max_wall_minutes = 61; },
     [](LintInput& input) { a(input).max_wall_minutes = 60; }},
    {"wall-above-partitions",
     [](LintInput& input) {
         a(input).max_wall_minutes = 61;
         input.partitions.push_back(partition("long")), input.partitions[1].max_time = {99};
         input.partitions[1].allow_qos = {"b"};
     },
     [](LintInput& input) {
         a(input).max_wall_minutes = 61;
         input.partitions.push_back(partition("long")), input.partitions[1].max_time = {99};
         input.partitions[1].allow_qos = {"A"};
     }},
    {"wall-above-partitions", [](LintInput& input) { a(input).max_wall_minutes = 61; },
     [](LintInput& input) { a(input).max_wall_minutes = 61, a(input).flags = {"PartitionTimeLimit"}; }},
    {"zero-limit", [](LintInput& input) { a(input).grp_jobs = 0; },
     [](LintInput& input) { a(input).grp_jobs = 1; }},
    {"zero-limit", [](LintInput& input) { a(input).max_tres_per_job["cpu"] = 0; },
     [](LintInput& input) { a(input).max_tres_per_job["gres/gpu"] = 0; }},
    {"zero-limit", [](LintInput& input) { a(input).max_wall_minutes = 0; },
     [](LintInput& input) { a(input).min_tres_per_job["cpu"] = 0; }},
    {"zero-association-limit",
     [](LintInput& input) { input.associations[2].limits.set(CountLimit::grp_submit_jobs, 0); },
     [](LintInput& input) { input.associations[2].limits.set(CountLimit::grp_submit_jobs, 1); }},
    {"minimum-above-maximum",
     [](LintInput& input) { a(input).min_tres_per_job["cpu"] = 9, a(input).grp_tres["cpu"] = 8; },
     [](LintInput& input) { a(input).min_tres_per_job["cpu"] = 8, a(input).grp_tres["cpu"] = 8; }},
    {"minimum-above-maximum",
     [](LintInput& input) { a(input).min_tres_per_job["cpu"] = 9, a(input).max_tres_per_job["cpu"] = 8; },
     [](LintInput& input) { a(input).min_tres_per_job["cpu"] = 9, a(input).max_tres_per_node["cpu"] = 8; }},
    {"minimum-above-partitions", [](LintInput& input) { a(input).min_tres_per_job["gres/gpu"] = 5; },
     [](LintInput& input) { a(input).min_tres_per_job["gres/gpu"] = 4; }},
    {"minimum-above-partitions", [](LintInput& input) { a(input).min_tres_per_job["mem"] = 102'401; },
     [](LintInput& input) { a(input).min_tres_per_job["mem"] = 102'400; }},
    {"minimum-above-partitions", [](LintInput& input) { a(input).min_tres_per_job["cpu"] = 65; },
     [](LintInput& input) { a(input).min_tres_per_job["cpu"] = 65, input.partitions.front().tres = ""; }},
    {"hidden-by-partition",
     [](LintInput& input) {
         of_partition(input).max_tres_per_user["cpu"] = 9, a(input).max_tres_per_user["cpu"] = 8;
     },
     [](LintInput& input) {
         of_partition(input).max_tres_per_user["cpu"] = 8, a(input).max_tres_per_user["cpu"] = 9;
     }},
    {"hidden-by-partition",
     [](LintInput& input) { of_partition(input).max_wall_minutes = 50, a(input).max_wall_minutes = 40; },
     [](LintInput& input) {
         of_partition(input).max_wall_minutes = 50, a(input).max_wall_minutes = 40;
         a(input).flags = {"OverPartQOS"};
     }},
    {"hidden-by-partition", [](LintInput& input) { of_partition(input).grp_jobs = 5, a(input).grp_jobs = 4; },
     [](LintInput& input) {
         of_partition(input).grp_jobs = 5, a(input).grp_jobs = 4;
         input.partitions.front().deny_qos = {"a"};
     }},
    {"contradicts-partition",
     [](LintInput& input) {
         of_partition(input).min_tres_per_job["cpu"] = 9, a(input).max_tres_per_job["cpu"] = 8;
     },
     [](LintInput& input) {
         of_partition(input).min_tres_per_job["cpu"] = 8, a(input).max_tres_per_job["cpu"] = 8;
     }},
    {"contradicts-partition",
     [](LintInput& input) {
         of_partition(input).max_tres_per_user["cpu"] = 8, a(input).min_tres_per_job["cpu"] = 9;
     },
     [](LintInput& input) {
         of_partition(input).min_tres_per_job["cpu"] = 9, a(input).max_tres_per_user["cpu"] = 8;
         of_partition(input).max_tres_per_user["cpu"] = 20; // replaces the other
     }},
    {"partition-names-unknown-qos", [](LintInput& input) { input.partitions.front().deny_qos = {"c"}; },
     [](LintInput& input) { input.partitions.front().deny_qos = {"B"}; }},
    {"deny-list-ignored",
     [](LintInput& input) {
         input.partitions.front().allow_qos = {"a"}, input.partitions.front().deny_qos = {"b"};
     },
     [](LintInput& input) { input.partitions.front().deny_qos = {"b"}; }},
    {"qos-unused", [](LintInput& input) { input.qos.push_back(qos("c")); },
     [](LintInput& input) { input.qos.push_back(qos("c")), input.partitions.front().qos = "c"; }},
    {"qos-unused", [](LintInput& input) { input.qos.push_back(qos("c")); },
     [](LintInput& input) { input.qos.push_back(qos("c")), input.associations[3].qos->push_back("c"); }},
    {"no-default-qos",
     [](LintInput& input) {
         input.associations[3].qos = {"a", "b"};
     },
     [](LintInput& input) { input.associations[3].qos = {"a"}; }},
    {"no-default-qos", [](LintInput& input) { input.associations[3].default_qos = "c"; },
     [](LintInput& input) { input.associations[3].default_qos = "a"; }},
    {"no-default-qos",
     [](LintInput& input) {
         input.associations[3].qos = {"a", "b"}, input.associations[0].default_qos = "c";
     },
     [](LintInput& input) {
         input.associations[3].qos = {"a", "b"}, input.associations[0].default_qos = "b";
     }},
    {"flag-without-effect",
     [](LintInput& input) {
         a(input).flags = {"NoReserve"}, input.settings.scheduler_type = "sched/builtin";
     },
     [](LintInput& input) { a(input).flags = {"NoReserve"}; }},
    {"flag-without-effect", [](LintInput& input) { a(input).flags = {"UsageFactorSafe"}; },
     [](LintInput& input) { a(input).flags = {"UsageFactorSafe"}, a(input).usage_factor = 2; }},
    {"flag-without-effect", [](LintInput& input) { a(input).flags = {"EnforceUsageThreshold"}; },
     [](LintInput& input) { a(input).flags = {"EnforceUsageThreshold"}, a(input).usage_threshold = 0.5; }},
    {"flag-without-effect", [](LintInput& input) { a(input).flags = {"NoDecay"}; },
     [](LintInput& input) { a(input).flags = {"NoDecay"}, a(input).grp_wall_minutes = 5; }},
    {"flag-without-effect",
     [](LintInput& input) {
         a(input).flags = {"NoDecay"}, a(input).grp_wall_minutes = 5, input.settings.usage_lasts = true;
     },
     [](LintInput& input) { input.settings.usage_lasts = true; }},
    {"flag-without-effect", [](LintInput& input) { a(input).flags = {"OverPartQOS"}, a(input).grp_jobs = 5; },
     [](LintInput& input) {
         a(input).flags = {"OverPartQOS"}, a(input).grp_jobs = 5, input.partitions.front().qos = "b";
     }},
    {"flag-without-effect",
     [](LintInput& input) {
         a(input).flags = {"PartitionTimeLimit"}, input.partitions.front().max_time = TimeLimit::unlimited();
     },
     [](LintInput& input) { a(input).flags = {"PartitionTimeLimit"}; }},
    {"flag-without-effect", [](LintInput& input) { a(input).flags = {"PartitionMaxNodes"}; },
     [](LintInput& input) {
         a(input).flags = {"PartitionMaxNodes"}, input.partitions.front().max_nodes = 1;
     }},
    {"flag-without-effect",
     [](LintInput& input) { a(input).flags = {"PartitionMinNodes"}, input.partitions.front().min_nodes = 1; },
     [](LintInput& input) {
         a(input).flags = {"PartitionMinNodes"}, input.partitions.front().min_nodes = 2;
     }},
    {"threshold-without-flag", [](LintInput& input) { a(input).usage_threshold = 0.5; },
     [](LintInput& input) { a(input).usage_threshold = 0.5, a(input).flags = {"EnforceUsageThreshold"}; }},
};

std::vector<Finding> find(Change change, const std::vector<std::string>& ignored = {}) {
    LintInput input = cluster();
    change(input);
    return cli::find_problems(input, ignored);
}

bool has(const std::vector<Finding>& findings, const std::string& code) {
    return std::ranges::find(findings, code, &Finding::code) != findings.end();
}

/// The only finding with this code.
Finding only(Change change, const std::string& code) {
    auto findings = find(change);
    std::erase_if(findings, [&](const Finding& finding) { return finding.code != code; });
    BOOST_TEST_REQUIRE(findings.size() == 1u);
    return findings.front();
}

} // namespace

BOOST_AUTO_TEST_SUITE(lint)

BOOST_AUTO_TEST_CASE(nothing_is_found_in_a_cluster_without_a_mistake) {
    for (const Finding& finding : find([](LintInput&) {}))
        BOOST_TEST(finding.text == "");
}

BOOST_AUTO_TEST_CASE(each_check_finds_its_mistake_and_not_its_twin) {
    for (std::size_t i = 0; i < std::size(cases); ++i) {
        const Case& each = cases[i];
        BOOST_TEST_CONTEXT(each.code << ", case " << i) {
            BOOST_TEST(has(find(each.broken), each.code));
            BOOST_TEST(!has(find(each.clean), each.code));
        }
    }
}

BOOST_AUTO_TEST_CASE(each_check_has_a_case_and_a_code_of_its_own) {
    std::set<std::string_view> codes;
    for (const cli::LintCheck& check : cli::lint_checks()) {
        BOOST_TEST_CONTEXT(check.code) {
            BOOST_TEST(codes.insert(check.code).second);
            const auto tests = [&](const Case& each) { return each.code == check.code; };
            BOOST_TEST(std::ranges::any_of(cases, tests));
        }
    }
}

BOOST_AUTO_TEST_CASE(an_ignored_check_finds_nothing) {
    for (const Case& each : cases)
        BOOST_TEST(!has(find(each.broken, {each.code}), each.code));
    BOOST_TEST(has(find(cases[0].broken, {"zero-limit"}), cases[0].code));
}

BOOST_AUTO_TEST_CASE(a_finding_has_a_place_a_sentence_and_a_command) {
    const Finding wall =
        only([](LintInput& input) { a(input).max_wall_minutes = 120; }, "wall-above-partitions");
    BOOST_TEST(wall.where == "QOS a");
    BOOST_TEST(wall.cure == "qosgate qos update a MaxWall=01:00:00");

    const Finding zero = only(
        [](LintInput& input) {
            input.cluster = "c1";
            input.associations[3].partition = "main";
            input.associations[3].limits.set(TresLimit::grp_tres, 0, 0);
        },
        "zero-association-limit");
    BOOST_TEST(zero.where == "user ana in account bio, partition main");
    BOOST_TEST(zero.cure ==
               "sacctmgr -i modify user where name=ana account=bio partition=main cluster=c1 set "
               "GrpTRES=cpu=-1");

    const Finding enforce =
        only([](LintInput& input) { input.settings.enforce.safe = false, a(input).grp_wall_minutes = 5; },
             "not-safe");
    BOOST_TEST(enforce.cure ==
               "# slurm.conf: AccountingStorageEnforce=associations,limits,qos,safe; then restart slurmctld");

    const Finding tracked =
        only([](LintInput& input) { a(input).grp_tres["license/foo"] = 5; }, "tres-not-tracked");
    BOOST_TEST(tracked.cure ==
               "# slurm.conf: AccountingStorageTRES=gres/gpu,license/foo; then restart slurmctld");
}

BOOST_AUTO_TEST_CASE(a_loop_is_told_once_with_its_way) {
    const Finding loop = only(
        [](LintInput& input) {
            input.qos[0].preempt = {"a"};
            input.qos[1].preempt = {"b"};
            input.qos[2].preempt = {"normal"};
        },
        "preemption-loop");
    BOOST_TEST(loop.text == "QOSs may preempt each other in a circle: a, b, normal, a");
    BOOST_TEST(loop.cure == "qosgate qos update a Preempt-=b");
}

BOOST_AUTO_TEST_CASE(users_with_the_same_cure_are_one_finding) {
    const Finding found = only(
        [](LintInput& input) {
            input.associations[3].qos = {"a", "b"};
            input.associations.push_back(input.associations[3]);
            input.associations[4].user = "ben";
        },
        "no-default-qos");
    BOOST_TEST(found.where == "account bio");
    BOOST_TEST(found.cure == "sacctmgr -i modify user where name=ana,ben account=bio set defaultqos=a");
}

BOOST_AUTO_TEST_CASE(names_are_quoted_for_the_shell) {
    const Finding found =
        only([](LintInput& input) { a(input).name = "it's", a(input).grp_jobs = 0; }, "zero-limit");
    BOOST_TEST(found.cure == "qosgate qos update 'it'\\''s' GrpJobs=-1");
}

BOOST_AUTO_TEST_SUITE_END()
