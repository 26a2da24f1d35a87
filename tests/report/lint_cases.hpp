// SPDX-License-Identifier: GPL-2.0-or-later
//
// Clusters for the tests of lint: for each check one in which it finds something, and its twin in which it
// does not.
#pragma once

#include "lint_cluster.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace qg::test {

using Change = void (*)(LintInput& input);

/// A check, what makes it find something, and what almost does.
struct Case {
    const char* code;
    Change broken;
    Change clean;
};

inline const Case cases[] = {
    {"limit-above-cluster", [](LintInput& input) { a(with_nodes(input)).grp_tres["cpu"] = 65; },
     [](LintInput& input) { a(with_nodes(input)).grp_tres["cpu"] = 64; }},
    {"limit-above-cluster", [](LintInput& input) { a(with_nodes(input)).max_tres_per_user["gres/gpu"] = 5; },
     [](LintInput& input) { a(with_nodes(input)).max_tres_per_user["gres/gpu:a100"] = 5; }}, // not known
    {"limit-above-cluster", [](LintInput& input) { a(with_nodes(input)).max_tres_per_account["node"] = 3; },
     [](LintInput& input) { a(input).max_tres_per_account["node"] = 3; }}, // no node is known
    {"limit-above-cluster", [](LintInput& input) { a(input).max_tres_per_job["cpu"] = 65; },
     [](LintInput& input) { a(input).max_tres_per_job["cpu"] = 64; }},
    {"limit-above-cluster", [](LintInput& input) { a(with_nodes(input)).max_tres_per_node["gres/gpu"] = 3; },
     [](LintInput& input) { a(with_nodes(input)).max_tres_per_node["gres/gpu"] = 2; }},
    {"limit-above-cluster", [](LintInput& input) { a(with_nodes(input)).max_tres_per_node["mem"] = 51'201; },
     [](LintInput& input) { a(with_nodes(input)).max_tres_per_node["mem"] = 51'200; }},
    {"limit-above-cluster", [](LintInput& input) { a(with_nodes(input)).grp_tres["cpu"] = 101; },
     [](LintInput& input) { a(with_nodes(input)).grp_tres["cpu"] = 101, a(input).flags = {"Relative"}; }},
    {"limit-above-cluster", [](LintInput& input) { a(with_nodes(input)).grp_tres["mem"] = 102'401; },
     [](LintInput& input) { a(with_nodes(input)).grp_tres["billing"] = 1'000'000; }},
    {"past-never-used-up",
     [](LintInput& input) { a(input).usage_factor = 0, a(input).grp_tres_mins["cpu"] = 5; },
     [](LintInput& input) { a(input).usage_factor = 0.1, a(input).grp_tres_mins["cpu"] = 5; }},
    {"past-never-used-up", [](LintInput& input) { a(input).usage_factor = 0, a(input).grp_wall_minutes = 5; },
     [](LintInput& input) {
         of_partition(input).usage_factor = 0, of_partition(input).grp_wall_minutes = 5;
     }},
    {"past-never-used-up", [](LintInput& input) { a(input).usage_factor = 0, a(input).grp_wall_minutes = 5; },
     [](LintInput& input) { a(input).usage_factor = 0, a(input).max_wall_minutes = 5; }},
    {"maximum-above-group",
     [](LintInput& input) {
         input.associations[1].limits.set(TresLimit::grp_tres, 0, 8);
         input.associations[3].limits.set(TresLimit::max_tres_per_job, 0, 9);
     },
     [](LintInput& input) {
         input.associations[1].limits.set(TresLimit::grp_tres, 0, 8);
         input.associations[3].limits.set(TresLimit::max_tres_per_job, 0, 8);
     }},
    {"maximum-above-group",
     [](LintInput& input) {
         input.associations[3].limits.set(TresLimit::grp_tres, 0, 8);
         input.associations[3].limits.set(TresLimit::max_tres_per_node, 0, 9);
     },
     [](LintInput& input) {
         input.associations[3].limits.set(TresLimit::grp_tres, 0, 8);
         input.associations[3].limits.set(TresLimit::max_tres_per_node, 0, 9);
         a(input).grp_tres["cpu"] = 20; // replaces that of the association
     }},
    {"maximum-above-group",
     [](LintInput& input) {
         input.associations[2].limits.set(CountLimit::grp_submit_jobs, 4);
         input.associations[3].limits.set(CountLimit::max_jobs, 5);
     },
     [](LintInput& input) {
         input.associations[2].limits.set(CountLimit::grp_submit_jobs, 5);
         input.associations[3].limits.set(CountLimit::max_jobs, 5);
     }},
    {"partition-names-unknown-account",
     [](LintInput& input) {
         input.partitions.front().allow_accounts = {"bio", "boi"};
     },
     [](LintInput& input) {
         input.partitions.front().allow_accounts = {"BIO", "lab"};
     }},
    {"partition-names-unknown-account",
     [](LintInput& input) { input.partitions.front().deny_accounts = {"ana"}; },
     [](LintInput& input) { input.partitions.front().deny_accounts = {"root"}; }},
    {"default-time-above-wall",
     [](LintInput& input) { input.partitions.front().default_time = {31}, a(input).max_wall_minutes = 30; },
     [](LintInput& input) { input.partitions.front().default_time = {30}, a(input).max_wall_minutes = 30; }},
    {"default-time-above-wall",
     [](LintInput& input) {
         input.partitions.front().default_time = TimeLimit::unlimited(), a(input).max_wall_minutes = 30;
     },
     [](LintInput& input) { a(input).max_wall_minutes = 30; }}, // no DefaultTime
    {"default-time-above-wall",
     [](LintInput& input) {
         input.partitions.front().default_time = {31}, of_partition(input).max_wall_minutes = 30;
     },
     [](LintInput& input) { // the partition's QOS replaces the limit
         input.partitions.front().default_time = {31}, a(input).max_wall_minutes = 30;
         of_partition(input).max_wall_minutes = 60;
     }},
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
    {"not-safe", [](LintInput& input) { input.settings.enforce.safe = false, a(input).grp_wall_minutes = 5; },
     [](LintInput& input) {
         input.settings.enforce.safe = false, a(input).grp_wall_minutes = 5, a(input).usage_factor = 0;
     }},
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
    {"minimum-above-partitions",
     [](LintInput& input) {
         a(input).min_tres_per_job["cpu"] = 65;
         input.partitions.push_back(partition("big")), input.partitions[1].tres = "cpu=128";
         input.partitions[1].allow_accounts = {"physics"};
     },
     [](LintInput& input) {
         a(input).min_tres_per_job["cpu"] = 65;
         input.partitions.push_back(partition("big")), input.partitions[1].tres = "cpu=128";
         input.partitions[1].allow_accounts = {"bio"};
     }},
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
    {"flag-without-effect",
     [](LintInput& input) {
         a(input).flags = {"UsageFactorSafe"}, a(input).usage_factor = 2, input.settings.enforce.safe = false;
     },
     [](LintInput& input) { a(input).flags = {"UsageFactorSafe"}, a(input).usage_factor = 2; }},
    {"relative-above-hundred",
     [](LintInput& input) { a(input).flags = {"Relative"}, a(input).grp_tres["cpu"] = 101; },
     [](LintInput& input) { a(input).flags = {"Relative"}, a(input).grp_tres["cpu"] = 100; }},
    {"relative-above-hundred",
     [](LintInput& input) { a(input).flags = {"Relative"}, a(input).max_tres_per_job["gres/gpu"] = 200; },
     [](LintInput& input) { a(input).grp_tres["cpu"] = 101, a(input).flags = {"NoDecay"}; }},
    {"relative-of-jobs", [](LintInput& input) { of_partition(input).flags = {"Relative"}; },
     [](LintInput& input) {
         of_partition(input).flags = {"Relative"}, input.associations[3].qos->pop_back();
     }},
    {"relative-of-jobs",
     [](LintInput& input) {
         of_partition(input).flags = {"Relative"}, input.associations[3].qos->pop_back();
         input.partitions.push_back(partition("viz")), input.partitions[1].qos = "B";
     },
     [](LintInput& input) { a(input).flags = {"Relative"}, a(input).grp_tres["cpu"] = 50; }},
    {"deny-on-limit-missing", [](LintInput& input) { a(input).max_tres_per_job["gres/gpu"] = 0; },
     [](LintInput& input) { a(input).max_tres_per_job["gres/gpu"] = 0, a(input).flags = {"DenyOnLimit"}; }},
    {"deny-on-limit-missing",
     [](LintInput& input) { a(input).min_tres_per_job["cpu"] = 9, a(input).grp_tres["cpu"] = 8; },
     [](LintInput& input) { a(input).min_tres_per_job["cpu"] = 8, a(input).grp_tres["cpu"] = 8; }},
    {"deny-on-limit-missing", [](LintInput& input) { a(input).grp_tres["license/foo"] = 0; },
     [](LintInput& input) { a(input).min_tres_per_job["cpu"] = 0; }},
    {"no-reserve-not-preempted", [](LintInput& input) { a(input).flags = {"NoReserve"}; },
     [](LintInput& input) { a(input).flags = {"NoReserve"}, input.qos[2].preempt = {"a"}; }},
    {"no-reserve-not-preempted",
     [](LintInput& input) { a(input).flags = {"NoReserve"}, a(input).preempt = {"b"}; },
     [](LintInput& input) {
         a(input).flags = {"NoReserve"}, input.settings.preempt_type = "preempt/partition_prio";
     }},
    {"preempts-nobody",
     [](LintInput& input) { a(input).preempt = {"b"}, input.associations[3].qos->pop_back(); },
     [](LintInput& input) { a(input).preempt = {"b"}; }},
    {"normal-changed", [](LintInput& input) { input.qos[0].grp_jobs = 5; },
     [](LintInput& input) { input.qos[0].description = "Normal QOS default"; }},
    {"normal-changed", [](LintInput& input) { input.qos[0].flags = {"DenyOnLimit"}; },
     [](LintInput& input) { a(input).flags = {"DenyOnLimit"}; }},
    {"rules-name-unknown",
     [](LintInput& input) {
         input.unknown_in_rules = {{"10-a.lua", 2, "the cluster has no QOS 'gpuu'", false}};
     },
     [](LintInput& input) { input.qos[0].name = "normal"; }},
    {"normal-missing", [](LintInput& input) { input.qos.erase(input.qos.begin()); },
     [](LintInput& input) { input.qos[0].name = "Normal"; }},
    {"default-qos-not-admitted",
     [](LintInput& input) {
         input.partitions.front().is_default = true, input.partitions.front().allow_qos = {"a", "b"};
     },
     [](LintInput& input) {
         input.partitions.front().allow_qos = {"a", "b"};
     }},
    {"default-qos-not-admitted",
     [](LintInput& input) {
         input.partitions.front().is_default = true, input.partitions.front().deny_qos = {"a"};
         input.associations[3].default_qos = "a";
     },
     [](LintInput& input) {
         input.partitions.front().is_default = true, input.partitions.front().deny_qos = {"a"};
     }},
    {"default-qos-not-admitted",
     [](LintInput& input) {
         input.partitions.front().is_default = true, input.partitions.front().allow_qos = {"a"};
     },
     [](LintInput& input) { // no job of ana's account is there
         input.partitions.front().is_default = true, input.partitions.front().allow_qos = {"a"};
         input.partitions.front().deny_accounts = {"bio"};
     }},
    {"default-memory-above-limit",
     [](LintInput& input) {
         input.partitions.front().min_node_memory_mib = 16'000, a(input).max_tres_per_user["mem"] = 15'999;
     },
     [](LintInput& input) {
         input.partitions.front().min_node_memory_mib = 16'000, a(input).max_tres_per_user["mem"] = 16'000;
     }},
    {"default-memory-above-limit",
     [](LintInput& input) {
         input.default_memory = {.mib = 2001, .per_cpu = true}, a(input).max_tres_per_job["mem"] = 2000;
     },
     [](LintInput& input) { // that of the partition counts
         input.partitions.front().min_node_memory_mib = 16'000, a(input).max_tres_per_job["mem"] = 2000;
         input.default_memory = {.mib = 2001}, input.partitions.front().default_memory = {.mib = 2000};
     }},
    {"default-memory-above-limit",
     [](LintInput& input) {
         input.partitions.front().min_node_memory_mib = 16'000, of_partition(input).grp_tres["mem"] = 100;
     },
     [](LintInput& input) { // the partition's QOS replaces the limit
         input.partitions.front().min_node_memory_mib = 16'000, a(input).grp_tres["mem"] = 100;
         of_partition(input).grp_tres["mem"] = 16'000;
     }},
    {"gang-missing", [](LintInput& input) { a(input).preempt_mode = {"SUSPEND"}; },
     [](LintInput& input) { a(input).preempt_mode = {"SUSPEND"}, input.settings.has_gang = true; }},
    {"gang-missing", [](LintInput& input) { a(input).preempt_mode = {"GANG"}; },
     [](LintInput& input) { a(input).preempt_mode = {"REQUEUE"}; }},
    {"typed-limit-alone", [](LintInput& input) { a(input).max_tres_per_user["gres/gpu:a100"] = 2; },
     [](LintInput& input) {
         a(input).max_tres_per_user["gres/gpu:a100"] = 2, a(input).max_tres_per_user["gres/gpu"] = 4;
     }},
    {"typed-limit-alone", // a limit of another kind does not help
     [](LintInput& input) {
         a(input).max_tres_per_user["gres/gpu:a100"] = 2, a(input).grp_tres["gres/gpu"] = 2;
     },
     [](LintInput& input) { a(input).max_tres_per_user["gres/gpu"] = 2; }},
    {"typed-limit-alone", [](LintInput& input) { a(input).grp_tres_mins["gres/gpu:a100"] = 0; },
     [](LintInput& input) { a(input).min_tres_per_job["gres/gpu:a100"] = 1; }}, // a minimum keeps them out
    {"typed-association-limit-alone", [](LintInput& input) { with_types(input, TresLimit::grp_tres, 2, 0); },
     [](LintInput& input) { with_types(input, TresLimit::grp_tres, 2, 4); }},
    {"typed-association-limit-alone",
     [](LintInput& input) { with_types(input, TresLimit::max_tres_per_job, 2, 0); },
     [](LintInput& input) { with_types(input, TresLimit::max_tres_per_job, 0, 2); }},
    {"threshold-without-flag", [](LintInput& input) { a(input).usage_threshold = 0.5; },
     [](LintInput& input) { a(input).usage_threshold = 0.5, a(input).flags = {"EnforceUsageThreshold"}; }},
};

inline std::vector<Finding> find(Change change, const std::vector<std::string>& ignored = {}) {
    LintInput input = cluster();
    change(input);
    return report::find_problems(input, ignored);
}

inline bool has(const std::vector<Finding>& findings, const std::string& code) {
    return std::ranges::find(findings, code, &Finding::code) != findings.end();
}

/// The only finding with this code.
inline Finding only(Change change, const std::string& code) {
    auto findings = find(change);
    std::erase_if(findings, [&](const Finding& finding) { return finding.code != code; });
    BOOST_TEST_REQUIRE(findings.size() == 1u);
    return findings.front();
}

} // namespace qg::test
