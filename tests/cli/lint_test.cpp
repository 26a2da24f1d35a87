// SPDX-License-Identifier: GPL-2.0-or-later
//
// Each check of lint: a cluster in which it finds something, and its twin in which it does not.
#include "qos_arguments.hpp"
#include "report/lint_checks.hpp"

#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
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
    // A limit counts where the lower one is replaced.
    {"limit-never-binds",
     [](LintInput& input) {
         a(input).max_tres_per_user["cpu"] = 9, a(input).grp_tres["cpu"] = 8;
         of_partition(input).grp_tres["cpu"] = 7;
     },
     [](LintInput& input) {
         a(input).max_tres_per_user["cpu"] = 9, a(input).grp_tres["cpu"] = 8;
         of_partition(input).grp_tres["cpu"] = 20;
     }},
    {"limit-never-binds",
     [](LintInput& input) {
         a(input).max_tres_per_user["cpu"] = 9, a(input).grp_tres["cpu"] = 8;
         of_partition(input).grp_tres["cpu"] = 20, of_partition(input).max_tres_per_user["cpu"] = 9;
     },
     [](LintInput& input) {
         of_partition(input).max_tres_per_user["cpu"] = 9, of_partition(input).grp_tres["cpu"] = 8;
         a(input).grp_tres["cpu"] = 20, a(input).flags = {"OverPartQOS"};
     }},
    {"limit-never-binds",
     [](LintInput& input) { a(input).max_tres_per_user["gres/gpu"] = 9, a(input).grp_tres["gres/gpu"] = 0; },
     [](LintInput& input) { a(input).max_tres_per_user["cpu"] = 9, a(input).grp_tres["cpu"] = 0; }},
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
    {"zero-association-limit",
     [](LintInput& input) { input.associations[3].limits.set(CountLimit::max_submit_jobs, 0); },
     [](LintInput& input) { input.associations[3].limits.set(CountLimit::max_submit_jobs, 1); }},
    {"zero-association-limit",
     [](LintInput& input) { input.associations[3].limits.set(TresLimit::max_tres_per_job, 0, 0); },
     [](LintInput& input) { input.associations[3].limits.set(TresLimit::max_tres_per_job, 0, 1); }},
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
    {"contradicts-partition",
     [](LintInput& input) {
         of_partition(input).max_tres_per_user["cpu"] = 8, a(input).min_tres_per_job["cpu"] = 9;
         input.partitions[0].allow_accounts = {"lab"};
     },
     [](LintInput& input) {
         of_partition(input).max_tres_per_user["cpu"] = 8, a(input).min_tres_per_job["cpu"] = 9;
         input.partitions[0].allow_accounts = {"physics"};
     }},
    {"contradicts-partition",
     [](LintInput& input) {
         of_partition(input).max_tres_per_user["cpu"] = 8, a(input).min_tres_per_job["cpu"] = 9;
         input.partitions[0].deny_accounts = {"physics"};
     },
     [](LintInput& input) {
         of_partition(input).max_tres_per_user["cpu"] = 8, a(input).min_tres_per_job["cpu"] = 9;
         input.partitions[0].deny_accounts = {"bio"};
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

/// What makes every check find something, with this text in all names.
void name_all(LintInput& input, const std::string& text) {
    for (QosRecord& record : input.qos) {
        std::set<std::string> preempt;
        for (const std::string& name : record.preempt)
            preempt.insert(name + text);
        record.preempt = {preempt.begin(), preempt.end()};
        record.name += text;
        for (auto* limits : {&record.grp_tres, &record.max_tres_per_job, &record.min_tres_per_job}) {
            auto named = *limits;
            for (const auto& [tres, amount] : *limits)
                named["license/" + text] = amount;
            *limits = named;
        }
    }
    for (LintAssociation& association : input.associations) {
        association.account += text;
        if (!association.user.empty()) association.user += text;
        if (association.default_qos) *association.default_qos += text;
        if (association.qos)
            for (std::string& name : *association.qos)
                name += text;
    }
    for (model::Partition& each : input.partitions) {
        each.name += text;
        if (!each.qos.empty()) each.qos += text;
        for (auto* names : {&each.allow_qos, &each.deny_qos})
            for (std::string& name : *names)
                name += text;
    }
    input.settings.priority_type += input.settings.priority_type == "priority/multifactor" ? "" : text;
}

BOOST_AUTO_TEST_CASE(no_name_ends_a_comment_or_a_command) {
    const std::string hostile = "\nreboot #'\\'; reboot\x1b[2J\xc2\x9b$(reboot)\r";
    std::size_t found = 0;
    for (const Case& each : cases) {
        LintInput input = cluster();
        each.broken(input);
        name_all(input, hostile);
        for (const Finding& finding : cli::find_problems(input)) {
            ++found;
            BOOST_TEST_CONTEXT(finding.code << ": " << finding.text << "\n" << finding.cure) {
                for (const std::string& part : {finding.where, finding.text})
                    BOOST_TEST(part == text::printable(part, std::string::npos));
                for (const std::string_view line : text::split(finding.cure, '\n')) {
                    BOOST_TEST(line == text::printable(line, std::string::npos));
                    if (line.starts_with("# ")) continue;
                    // All of the name is within $'...', where the only quotes are the first and the last.
                    const auto at = line.find("reboot");
                    if (at == line.npos) continue;
                    const auto begin = line.rfind('\'', at);
                    BOOST_TEST_REQUIRE(begin != line.npos);
                    BOOST_TEST(line.substr(begin - 1, 2) == "$'");
                }
            }
        }
    }
    BOOST_TEST(found > std::size(cases));
}

BOOST_AUTO_TEST_CASE(control_characters_in_a_word_are_escapes) {
    BOOST_TEST(cli::quoted("a\nb") == "$'a\\012b'");
    BOOST_TEST(cli::quoted("\x1b'\\") == "$'\\033\\047\\\\'");
    BOOST_TEST(cli::quoted("\xc2\x9b") == "$'\\302\\233'");
    BOOST_TEST(cli::quoted("a b\\") == "'a b\\'");
    BOOST_TEST(cli::quoted("\xc3\xa9") == "'\xc3\xa9'");
}

BOOST_AUTO_TEST_CASE(cures_for_the_same_line_of_slurm_conf_are_one) {
    const auto found = find([](LintInput& input) {
        input.settings.enforce = {.associations = true, .limits = true, .qos = false, .safe = false};
        input.settings.priority_type = "priority/basic";
        input.settings.priority_weight_qos = 0;
        a(input).priority = 1;
        a(input).grp_wall_minutes = 5;
        a(input).grp_tres["license/foo"] = 5;
        input.qos[2].grp_tres["license/bar"] = 5;
        input.associations[3].qos->pop_back();
    });
    std::map<std::string, std::set<std::string>> values;
    for (const Finding& finding : found)
        for (const std::string_view line : text::split(finding.cure, '\n')) {
            const std::string_view value = line.substr(0, line.find(';'));
            BOOST_TEST_REQUIRE(value.starts_with("# slurm.conf: "));
            BOOST_TEST(value.find(' ', 14) == value.npos); // slurmctld takes one setting per line
            values[std::string(value.substr(14, value.find('=') - 14))].emplace(
                value.substr(value.find('=') + 1));
        }
    for (const auto& [key, all] : values)
        BOOST_TEST_CONTEXT(key) {
            BOOST_TEST(all.size() == 1u);
        }
    BOOST_TEST(*values["AccountingStorageEnforce"].begin() == "associations,limits,qos,safe");
    BOOST_TEST(*values["AccountingStorageTRES"].begin() == "gres/gpu,license/foo,license/bar");
    BOOST_TEST(*values["PriorityType"].begin() == "priority/multifactor");
    BOOST_TEST(*values["PriorityWeightQOS"].begin() == "1000");
}

BOOST_AUTO_TEST_CASE(a_cure_deletes_no_policy_and_opens_nothing) {
    BOOST_TEST(
        only([](LintInput& input) { input.settings.preempt_type = "preempt/none", a(input).preempt = {"b"}; },
             "preemption-ignored")
            .cure ==
        "# slurm.conf: PreemptType=preempt/qos\n# slurm.conf: PreemptMode=REQUEUE; then restart slurmctld");
    BOOST_TEST(
        only([](LintInput& input) { a(input).usage_threshold = 0.5; }, "threshold-without-flag").cure ==
        "qosgate qos update a UsageThreshold=unset");
    const auto is_advice = [](Change change, const char* code) {
        return only(change, code).cure.starts_with("# ");
    };
    BOOST_TEST(is_advice(
        [](LintInput& input) { a(input).min_tres_per_job["cpu"] = 9, a(input).grp_tres["cpu"] = 8; },
        "minimum-above-maximum"));
    BOOST_TEST(is_advice([](LintInput& input) { a(input).min_tres_per_job["cpu"] = 65; },
                         "minimum-above-partitions"));
}

BOOST_AUTO_TEST_CASE(the_flag_over_part_qos_is_no_cure_where_another_limit_would_be_lost) {
    const Change one = [](LintInput& input) { of_partition(input).grp_jobs = 5, a(input).grp_jobs = 4; };
    BOOST_TEST(only(one, "hidden-by-partition").cure == "qosgate qos update a Flags+=OverPartQOS");
    const Finding two = only(
        [](LintInput& input) {
            of_partition(input).grp_jobs = 5, a(input).grp_jobs = 4;
            input.partitions.push_back(partition("viz")), input.partitions[1].qos = "v";
            input.qos.push_back(qos("v")), input.qos[3].grp_jobs = 3;
        },
        "hidden-by-partition");
    BOOST_TEST(two.cure.starts_with("# the flag OverPartQOS would end this"));
    BOOST_TEST(two.cure.find("GrpJobs=3 of QOS v in partition viz") != std::string::npos);
    BOOST_TEST(two.text.find("viz") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_contradiction_is_told_once_and_ended_by_the_partition) {
    const Finding found = only(
        [](LintInput& input) {
            of_partition(input).max_tres_per_user["cpu"] = 8, a(input).min_tres_per_job["cpu"] = 9;
            input.partitions.push_back(partition("viz")), input.partitions[1].qos = "b";
            input.partitions[1].deny_qos = {"normal"};
            input.partitions.push_back(partition("big")), input.partitions[2].qos = "b";
            input.partitions[2].allow_qos = {"a", "b"};
        },
        "contradicts-partition");
    for (const char* name : {"partition main", "partition viz", "partition big"})
        BOOST_TEST(found.text.find(name) != std::string::npos);
    BOOST_TEST(found.cure ==
               "# slurm.conf: in the line of PartitionName=main, write DenyQos=a; in the line of "
               "PartitionName=viz, write DenyQos=normal,a; in the line of PartitionName=big, take a out of "
               "AllowQos; then: scontrol reconfigure");
}

BOOST_AUTO_TEST_CASE(a_qos_that_a_partition_lists_is_not_deleted) {
    BOOST_TEST(only([](LintInput& input) { input.qos.push_back(qos("c")); }, "qos-unused").cure ==
               "qosgate qos delete c");
    for (const Change change :
         {Change([](LintInput& input) {
              input.qos.push_back(qos("c")), input.partitions[0].allow_qos = {"a", "C"};
          }),
          Change(
              [](LintInput& input) { input.qos.push_back(qos("c")), input.partitions[0].deny_qos = {"c"}; }),
          Change([](LintInput& input) { input.qos.push_back(qos("c")), input.named_in_conf = {"c"}; })})
        BOOST_TEST(only(change, "qos-unused").cure.starts_with("# before it is deleted"));
}

BOOST_AUTO_TEST_CASE(the_qos_of_partitions_in_slurm_conf) {
    const auto names =
        cli::find_qos_in_conf("SlurmdParameters=QOS=no\n"
                              "# PartitionName=old QOS=no\n"
                              " partitionname=viz nodes=n1 qos=Viz \\\n AllowQOS=a,b # QOS=no\n"
                              "PartitionName=main DenyQos=c");
    const std::vector<std::string> expected{"Viz", "a", "b", "c"};
    BOOST_TEST(names == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_name_in_a_partitions_list_that_does_not_exist_is_corrected_there) {
    const Finding found = only(
        [](LintInput& input) { input.qos[0].name = "night", input.partitions.front().deny_qos = {"nigth"}; },
        "partition-names-unknown-qos");
    BOOST_TEST(found.text == "DenyQos names QOS 'nigth', which does not exist; did you mean night?");
    BOOST_TEST(found.cure == "# slurm.conf: in the line of PartitionName=main, correct 'nigth' in DenyQos; "
                             "then: scontrol reconfigure");
}

/// Ben is in the account of ana.
void add_ben(LintInput& input) {
    input.associations.push_back(input.associations[3]);
    input.associations[4].user = "ben";
}

BOOST_AUTO_TEST_CASE(a_zero_of_all_users_is_told_of_the_account) {
    const Finding all = only(
        [](LintInput& input) {
            input.associations[3].limits.set(TresLimit::max_tres_per_job, 0, 0);
            add_ben(input);
        },
        "zero-association-limit");
    BOOST_TEST(all.where == "account bio");
    BOOST_TEST(all.cure == "# unset it where it is set, here or in an account above: sacctmgr -i modify "
                           "account where name=bio set MaxTRESPerJob=cpu=-1");
    const Finding one = only(
        [](LintInput& input) {
            add_ben(input);
            input.associations[3].limits.set(CountLimit::max_jobs, 0);
        },
        "zero-association-limit");
    BOOST_TEST(one.where == "user ana in account bio");
}

BOOST_AUTO_TEST_SUITE_END()
