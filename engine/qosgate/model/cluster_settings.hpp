// SPDX-License-Identifier: GPL-2.0-or-later
//
// ClusterSettings: what slurm.conf says about accounting, priority and preemption, for commands that show or
// check it.
#pragma once

#include "qosgate/model/account_view.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace qg::model {

struct ClusterSettings {
    Enforce enforce;                                    ///< AccountingStorageEnforce
    std::vector<std::string> enforce_others;            ///< its other values: "wckeys"
    std::vector<std::string> tres;                      ///< that are tracked, by full name
    std::string scheduler_type = "sched/backfill";      ///< SchedulerType
    std::string priority_type = "priority/multifactor"; ///< PriorityType
    std::uint32_t priority_weight_qos = 0;              ///< PriorityWeightQOS
    bool uses_raw_priorities = false;                   ///< PriorityFlags has NO_NORMAL_QOS
    std::string preempt_type = "preempt/none";          ///< PreemptType
    bool has_gang = false;                              ///< PreemptMode has GANG
    bool usage_lasts = false; ///< PriorityDecayHalfLife=0 and PriorityUsageResetPeriod=NONE
};

} // namespace qg::model
