// SPDX-License-Identifier: GPL-2.0-or-later
//
// The cluster that tests of lint begin with, and its parts.
#pragma once

#include "qosgate/report/lint_checks.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace qg::test {

using model::AssociationLevel;
using model::CountLimit;
using model::QosRecord;
using model::TresLimit;
using report::Finding;
using report::LintAssociation;
using report::LintInput;

inline QosRecord qos(const char* name) {
    QosRecord record;
    record.name = name;
    return record;
}

inline model::Partition partition(const char* name) {
    model::Partition partition;
    partition.name = name;
    partition.max_time = {60};
    partition.tres = "cpu=64,mem=100G,node=2,gres/gpu=4";
    return partition;
}

/// QOSs normal, a and b; ana, in account bio below lab, may use them; one partition. Nothing is wrong.
inline LintInput cluster() {
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

inline QosRecord& a(LintInput& input) {
    return input.qos.at(1);
}

/// Gives the partition QOS b.
inline QosRecord& of_partition(LintInput& input) {
    input.partitions.front().qos = "b";
    return input.qos.at(2);
}

/// The cluster tracks one type of its GPUs, too; the account bio and ana in it have these limits, unless 0.
inline LintInput& with_types(LintInput& input, model::TresLimit limit, std::uint64_t of_type,
                             std::uint64_t of_all) {
    input.tres = std::make_shared<model::TresCatalogue>(
        std::vector<std::string>{"cpu", "mem", "energy", "node", "billing", "gres/gpu", "gres/gpu:a100"});
    for (LintAssociation& each : input.associations)
        each.limits = model::Limits(input.tres->size());
    for (const std::size_t at : {2, 3}) {
        if (of_all != 0) input.associations[at].limits.set(limit, 5, of_all);
        if (of_type != 0) input.associations[at].limits.set(limit, 6, of_type);
    }
    return input;
}

/// Two equal nodes.
inline LintInput& with_nodes(LintInput& input) {
    input.nodes.kinds = {
        {.count = 2, .cpus = 32, .memory_mib = 51'200, .gres = {{.name = "gpu", .model = "", .count = 2}}}};
    input.nodes.kind_of = {0, 0};
    input.partitions.front().node_kinds = input.nodes.kinds;
    return input;
}

} // namespace qg::test
