// SPDX-License-Identifier: GPL-2.0-or-later
//
// What lint says of a mistake, and its cure: a shell may read both.
#include "lint_cases.hpp"

#include "qosgate/base/text.hpp"

#include <map>
#include <regex>
#include <set>

using namespace qg;
using namespace qg::test;

BOOST_AUTO_TEST_SUITE(lint_cures)

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

BOOST_AUTO_TEST_CASE(types_without_a_limit_of_all_are_told_together) {
    const Finding found = only(
        [](LintInput& input) {
            a(input).max_tres_per_user["gres/gpu:a100"] = 2;
            a(input).max_tres_per_user["gres/gpu:v100"] = 4;
        },
        "typed-limit-alone");
    BOOST_TEST(found.text ==
               "jobs that name no type pass MaxTRESPerUser=gres/gpu:a100=2, "
               "MaxTRESPerUser=gres/gpu:v100=4: slurmctld counts --gres=gpu:1 for gres/gpu alone");
    BOOST_TEST(found.cure == "# let the rule gpu-type.lua ask for the type, or limit all types together: "
                             "qosgate qos update a MaxTRESPerUser=gres/gpu=6");

    const Finding none =
        only([](LintInput& input) { a(input).grp_tres["gres/gpu:a100"] = 0; }, "typed-limit-alone");
    BOOST_TEST(none.cure == "# let the rule gpu-type.lua ask for the type"); // gres/gpu=0 would forbid all
}

BOOST_AUTO_TEST_CASE(a_type_without_a_limit_of_all_is_told_of_the_account_that_has_it) {
    const auto told = [](TresLimit limit) {
        LintInput input = cluster();
        auto findings = report::find_problems(with_types(input, limit, 2, 0));
        std::erase_if(findings,
                      [](const Finding& each) { return each.code != "typed-association-limit-alone"; });
        return findings;
    };
    const auto group = told(TresLimit::grp_tres);
    BOOST_TEST_REQUIRE(group.size() == 2u); // each has one of its own
    BOOST_TEST(group[0].where == "account bio");
    BOOST_TEST(group[0].text == "jobs that name no type pass GrpTRES=gres/gpu:a100=2: slurmctld counts "
                                "--gres=gpu:1 for gres/gpu alone");
    BOOST_TEST(group[0].cure == "# let the rule gpu-type.lua ask for the type, or limit all types together: "
                                "sacctmgr -i modify account where name=bio set GrpTRES=gres/gpu=2");
    BOOST_TEST(group[1].where == "user ana in account bio");

    const auto maximum = told(TresLimit::max_tres_per_job); // the account's own, and as it counts for ana
    BOOST_TEST_REQUIRE(maximum.size() == 2u);
    BOOST_TEST(maximum[0].where == "account bio");
    BOOST_TEST(maximum[1].cure ==
               "# let the rule gpu-type.lua ask for the type, or limit all types together where it is set, "
               "here or in an account above: sacctmgr -i modify user where name=ana account=bio set "
               "MaxTRESPerJob=gres/gpu=2");
}

BOOST_AUTO_TEST_CASE(what_a_change_makes_wrong_is_told_once) {
    std::vector<QosRecord> before{qos("a"), qos("b")};
    before[0].grp_jobs = 0;
    std::vector<QosRecord> after = before;
    after[1].max_wall_minutes = 0;
    const auto found = report::find_new_mistakes(before, after);
    BOOST_TEST_REQUIRE(found.size() == 1u);
    BOOST_TEST(
        report::warning_of(found[0]) ==
        "QOS b: MaxWall=00:00:00 allows no job: zero is a limit; unlimited is a limit that is not set; if "
        "jobs are meant to be let in, unset it: qosgate qos update b MaxWall=-1");

    BOOST_TEST(report::find_new_mistakes({}, after).size() == 2u); // both are new
    BOOST_TEST(report::find_new_mistakes(after, after).empty());
    after[1].max_wall_minutes = 1;
    after[1].flags = {"NoDecay"}; // a matter for lint, and no mistake of a limit
    BOOST_TEST(report::find_new_mistakes(before, after).empty());
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
    BOOST_TEST(found.cure ==
               "# if jobs are meant to be let in, unset it: qosgate qos update 'it'\\''s' GrpJobs=-1");
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
        for (const Finding& finding : report::find_problems(input)) {
            ++found;
            BOOST_TEST_CONTEXT(finding.code << ": " << finding.text << "\n" << finding.cure) {
                for (const std::string& part : {finding.where, finding.text})
                    BOOST_TEST(part == text::printable(part, std::string::npos));
                for (const std::string_view line : text::split(finding.cure, '\n')) {
                    BOOST_TEST(line == text::printable(line, std::string::npos));
                    if (line.starts_with("# ")) continue;
                    // All of a name is within $'...', and there is no quote in it.
                    const std::regex words("\\$'[^']*'");
                    const std::string rest = std::regex_replace(std::string(line), words, "");
                    BOOST_TEST(rest.find("reboot") == rest.npos);
                }
            }
        }
    }
    BOOST_TEST(found > std::size(cases));
}

BOOST_AUTO_TEST_CASE(a_tres_is_quoted_in_the_command_for_an_account) {
    const Finding found = only(
        [](LintInput& input) {
            input.tres =
                std::make_shared<model::TresCatalogue>(std::vector<std::string>{"cpu", "license/a;b"});
            for (LintAssociation& each : input.associations)
                each.limits = model::Limits(input.tres->size());
            input.associations[1].limits.set(TresLimit::grp_tres, 1, 8);
            input.associations[2].limits.set(TresLimit::grp_tres, 1, 9);
        },
        "group-above-parent");
    BOOST_TEST(found.cure == "sacctmgr -i modify account where name=bio set 'GrpTRES=license/a;b=-1'");
}

BOOST_AUTO_TEST_CASE(cures_for_the_same_line_of_slurm_conf_are_one) {
    const auto found = find([](LintInput& input) {
        input.settings.enforce = {.associations = true, .limits = true, .qos = false, .safe = false};
        input.settings.enforce_others = {"wckeys"};
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
    BOOST_TEST(*values["AccountingStorageEnforce"].begin() == "associations,wckeys,limits,qos,safe");
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
        report::find_qos_in_conf("SlurmdParameters=QOS=no\n"
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
    BOOST_TEST(found.text == "DenyQos names QOS 'nigth', which does not exist, and slurmctld 25.11 and "
                             "later does not start with it; did you mean night?");
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

BOOST_AUTO_TEST_CASE(a_finding_tells_the_qos_and_what_to_set_in_it) {
    const Finding wall =
        only([](LintInput& input) { a(input).max_wall_minutes = 120; }, "wall-above-partitions");
    BOOST_TEST(wall.qos == "a");
    BOOST_TEST(wall.assignment == "MaxWall=01:00:00");
    BOOST_TEST(wall.advice == "");
    const Finding above =
        only([](LintInput& input) { a(input).max_tres_per_job["cpu"] = 65; }, "limit-above-cluster");
    BOOST_TEST(above.assignment == "MaxTRESPerJob=cpu=-1");
    BOOST_TEST(above.advice == "lower it to MaxTRESPerJob=cpu=64 or less, or unset it");
    BOOST_TEST(above.cure == "# " + above.advice + ": qosgate qos update a MaxTRESPerJob=cpu=-1");
    const Finding enforce =
        only([](LintInput& input) { input.settings.enforce.safe = false, a(input).grp_wall_minutes = 5; },
             "not-safe");
    BOOST_TEST(enforce.qos == "");
}

BOOST_AUTO_TEST_CASE(without_a_cluster_only_the_fields_are_checked) {
    LintInput input;
    input.qos = {qos("a")};
    input.qos[0].grp_jobs = 0;
    input.qos[0].priority = 5;
    const auto findings = report::find_problems(input, {}, report::LintScope::records);
    BOOST_TEST_REQUIRE(findings.size() == 1u);
    BOOST_TEST(findings[0].code == "zero-limit");
    BOOST_TEST(report::find_problems(input).size() > 1u);
}

BOOST_AUTO_TEST_SUITE_END()
