// SPDX-License-Identifier: GPL-2.0-or-later
//
// What each row of the stages behind submission is known for. A row without a line in `cases` fails.
#pragma once

#include "qosgate/limits/checks.hpp"
#include "qosgate/limits/row.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace qg::test::stages {

namespace checks = limits::checks;
using limits::OwnerKind;
using limits::Release;

enum class StageId { pre_select, node_count, post_select };

inline const limits::Stage& table_of(StageId stage) {
    switch (stage) {
    case StageId::pre_select: return limits::pre_select_stage;
    case StageId::node_count: return limits::node_count_stage;
    case StageId::post_select: return limits::post_select_stage;
    }
    throw std::logic_error("no such stage");
}

/// What a row is known for, besides its comparison.
struct Traits {
    bool user_only = false;                      ///< of associations: that of the user alone
    bool scaled = false;                         ///< LimitFactor applies
    bool operator_passes = false;                ///< not looked at where an operator set the TRES or the time
    std::vector<std::string> overridden_by = {}; ///< limits of a QOS
    Release since{22, 5};
};

struct Case {
    StageId stage;
    OwnerKind owner;
    limits::Check check;
    std::string limit;
    std::string reason;
    Traits is = {};
};

inline constexpr auto pre = StageId::pre_select, node = StageId::node_count, post = StageId::post_select;
inline constexpr auto qos = OwnerKind::qos, association = OwnerKind::association;
inline const Traits by_operator{.operator_passes = true};

inline const std::vector<Case> cases{
    {pre, qos, checks::wall_time, "MaxWall", "QOSMaxWallDurationPerJobLimit", by_operator},
    {pre, qos, checks::wall_time, "GrpWall", "QOSGrpWallLimit", by_operator},
    {pre, qos, checks::running_count, "GrpJobs", "QOSGrpJobsLimit"},
    {pre, qos, checks::wall_used, "GrpWall", "QOSGrpWallLimit", by_operator},
    {pre, qos, checks::running_count, "MaxJobsPerAccount", "MaxJobsPerAccount"},
    {pre, qos, checks::running_count, "MaxJobsPerUser", "QOSMaxJobsPerUserLimit"},
    {pre, qos, checks::wall_asked, "MaxWall", "QOSMaxWallDurationPerJobLimit", by_operator},
    {pre,
     association,
     checks::wall_time,
     "MaxWall",
     "AssocMaxWallDurationPerJobLimit",
     {.user_only = true, .operator_passes = true, .overridden_by = {"MaxWall"}}},
    {pre,
     association,
     checks::wall_time,
     "GrpWall",
     "AssocGrpWallLimit",
     {.operator_passes = true, .overridden_by = {"GrpWall"}}},
    {pre, association, checks::running_count, "GrpJobs", "AssocGrpJobsLimit", {.overridden_by = {"GrpJobs"}}},
    {pre,
     association,
     checks::wall_used,
     "GrpWall",
     "AssocGrpWallLimit",
     {.operator_passes = true, .overridden_by = {"GrpWall"}}},
    {pre,
     association,
     checks::running_count,
     "MaxJobs",
     "AssocMaxJobsLimit",
     {.user_only = true, .overridden_by = {"MaxJobsPerAccount", "MaxJobsPerUser"}}},
    {pre,
     association,
     checks::wall_asked,
     "MaxWall",
     "AssocMaxWallDurationPerJobLimit",
     {.user_only = true, .operator_passes = true, .overridden_by = {"MaxWall"}}},

    {node, qos, checks::fewest_nodes, "MaxTRESPerAccount", "MaxNodePerAccount"},
    {node, qos, checks::fewest_nodes, "MaxTRESPerJob", "QOSMaxNodePerJobLimit"},
    {node, qos, checks::fewest_nodes, "MaxTRESPerUser", "QOSMaxNodePerUserLimit"},
    {node, qos, checks::fewest_nodes, "GrpTRES", "QOSGrpNodeLimit"},
    {node,
     association,
     checks::fewest_nodes,
     "GrpTRES",
     "AssocGrpNodeLimit",
     {.scaled = true, .overridden_by = {"GrpTRES"}}},
    {node,
     association,
     checks::fewest_nodes,
     "MaxTRESPerJob",
     "AssocMaxNodePerJobLimit",
     {.user_only = true,
      .scaled = true,
      .overridden_by = {"MaxTRESPerAccount", "MaxTRESPerJob", "MaxTRESPerUser"}}},

    {post, qos, checks::minutes_used, "GrpTRESMins", "QOSGrpCPUMinutesLimit", by_operator},
    {post, qos, checks::with_usage, "GrpTRES", "QOSGrpCpuLimit", by_operator},
    {post, qos, checks::run_minutes, "GrpTRESRunMins", "QOSGrpCPURunMinutesLimit"},
    {post, qos, checks::minutes_of_job, "MaxTRESMinsPerJob", "QOSMaxCpuMinutesPerJobLimit", by_operator},
    {post, qos, checks::request_alone, "MaxTRESPerJob", "QOSMaxCpuPerJobLimit", by_operator},
    {post, qos, checks::per_node, "MaxTRESPerNode", "QOSMaxCpuPerNode", by_operator},
    {post, qos, checks::minimum, "MinTRESPerJob", "QOSMinCpuNotSatisfied", by_operator},
    {post, qos, checks::with_usage, "MaxTRESPerAccount", "MaxCpuPerAccount", by_operator},
    {post, qos, checks::with_usage, "MaxTRESPerUser", "QOSMaxCpuPerUserLimit", by_operator},
    {post,
     qos,
     checks::run_minutes,
     "MaxTRESRunMinsPerAccount",
     "MaxCpuRunMinsPerAccount",
     {.since = {24, 5, 0}}},
    {post, qos, checks::run_minutes, "MaxTRESRunMinsPerUser", "MaxCpuRunMinsPerUser", {.since = {24, 5, 0}}},
    {post,
     association,
     checks::minutes_used,
     "GrpTRESMins",
     "AssocGrpCPUMinutesLimit",
     {.operator_passes = true, .overridden_by = {"GrpTRESMins"}}},
    {post,
     association,
     checks::with_usage,
     "GrpTRES",
     "AssocGrpCpuLimit",
     {.scaled = true, .operator_passes = true, .overridden_by = {"GrpTRES"}}},
    {post,
     association,
     checks::run_minutes,
     "GrpTRESRunMins",
     "AssocGrpCPURunMinutesLimit",
     {.overridden_by = {"GrpTRESRunMins"}}},
    {post,
     association,
     checks::minutes_of_job,
     "MaxTRESMinsPerJob",
     "AssocMaxCpuMinutesPerJobLimit",
     {.user_only = true, .operator_passes = true, .overridden_by = {"MaxTRESMinsPerJob"}}},
    {post,
     association,
     checks::request_alone,
     "MaxTRESPerJob",
     "AssocMaxCpuPerJobLimit",
     {.user_only = true, .scaled = true, .operator_passes = true, .overridden_by = {"MaxTRESPerJob"}}},
    {post,
     association,
     checks::per_node,
     "MaxTRESPerNode",
     "AssocMaxCpuPerNode",
     {.user_only = true, .operator_passes = true, .overridden_by = {"MaxTRESPerNode"}}},
};

} // namespace qg::test::stages
