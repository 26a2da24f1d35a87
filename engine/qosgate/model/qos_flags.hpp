// SPDX-License-Identifier: GPL-2.0-or-later
//
// The flags of a QOS, one row per flag: its names, its effect, its bit in Slurm's records, and its member of
// QosFlags (limits/README.md 8.2).
#pragma once

#include "qosgate/model/account_view.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace qg::model {

struct QosFlagFacts {
    std::string_view name;  ///< sacctmgr's
    std::string_view alias; ///< Slurm's REST spelling if it is a different word; else empty
    std::string_view help;
    std::uint32_t bit;                ///< the same in all releases; some do not know it (slurm/compat.hpp)
    bool QosFlags::*member = nullptr; ///< null: it does not affect whether a job starts
};

/// Sorted by name.
inline constexpr std::array qos_flag_facts{
    QosFlagFacts{"DenyOnLimit", "DENY_LIMIT", "refuse a job at submission if it breaks a limit by itself",
                 1u << 6, &QosFlags::deny_on_limit},
    QosFlagFacts{"EnforceUsageThreshold", "EnforceUsageThres",
                 "jobs of associations below UsageThreshold do not start", 1u << 3,
                 &QosFlags::enforce_usage_threshold},
    QosFlagFacts{"NoDecay", "", "usage counted by GrpTRESMins and GrpWall does not decay", 1u << 8,
                 &QosFlags::no_decay},
    QosFlagFacts{"NoReserve", "", "the backfill scheduler reserves no nodes for its jobs", 1u << 4},
    QosFlagFacts{"OverPartQOS", "OVERRIDE_PARTITION_QOS", "its limits override those of the partition's QOS",
                 1u << 7, &QosFlags::over_part_qos},
    QosFlagFacts{"PartitionMaxNodes", "PARTITION_MAXIMUM_NODE", "jobs may exceed the partition's MaxNodes",
                 1u << 1, &QosFlags::partition_max_nodes},
    QosFlagFacts{"PartitionMinNodes", "PARTITION_MINIMUM_NODE", "jobs may go below the partition's MinNodes",
                 1u << 0, &QosFlags::partition_min_nodes},
    QosFlagFacts{"PartitionTimeLimit", "", "jobs may exceed the partition's time limit", 1u << 2,
                 &QosFlags::partition_time_limit},
    QosFlagFacts{"Relative", "", "its TRES limits are percentages of the cluster; since Slurm 23.11",
                 1u << 10, &QosFlags::relative},
    QosFlagFacts{"RequiresReservation", "REQUIRED_RESERVATION", "jobs must name a reservation", 1u << 5,
                 &QosFlags::requires_reservation},
    QosFlagFacts{"UsageFactorSafe", "",
                 "a job starts only if its usage times UsageFactor is within the limits", 1u << 9,
                 &QosFlags::usage_factor_safe},
};

/// The bit of the flag with this member of QosFlags.
constexpr std::uint32_t qos_flag_bit(bool QosFlags::*member) {
    return std::ranges::find(qos_flag_facts, member, &QosFlagFacts::member)->bit;
}

} // namespace qg::model
