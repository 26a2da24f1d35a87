// SPDX-License-Identifier: GPL-2.0-or-later
//
// When slurmctld stores a field of a change. It goes through them one by one (update_job() in job_mgr.c), and
// what it has stored stays if it refuses a later one. The order is the same in all releases; see
// limits/README.md 9.
#pragma once

#include "qosgate/slurm/compat.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace qg::slurm {

/// A step of slurmctld's, in its order: it refuses all fields of a step or stores them all.
enum class StoreStep : std::uint8_t {
    notes,
    place,
    cpus,
    nodes,
    tasks,
    time_limit,
    time_min,
    end_time,
    deadline,
    priority,
    nice,
    memory,
    cores,
    sharing,
    contiguous,
    core_spec,
    features,
    prefer,
    clusters,
    gres,
    files,
    wckey,
    tasks_per_node,
    tasks_per_socket,
    dependency,
    start,
    last,
    never, ///< this release stores no change of these
};

/// What scontrol calls the fields that can be refused at each step.
inline constexpr std::string_view step_names[] = {
    "comments",
    "Partition, QOS or Account",
    "NumCPUs",
    "NumNodes",
    "NumTasks",
    "TimeLimit",
    "TimeMin",
    "EndTime",
    "Deadline",
    "Priority",
    "Nice",
    "memory or MinTmpDiskNode",
    "ReqSockets, ReqCores or ReqThreads",
    "OverSubscribe",
    "Contiguous",
    "CoreSpec or ThreadSpec",
    "Features",
    "Prefer",
    "Clusters or ClusterFeatures",
    "TRES other than those per node",
    "WorkDir, StdErr, StdIn or StdOut",
    "WCKey",
    "TasksPerNode",
    "tasks per socket",
    "Dependency",
    "StartTime or Licenses",
    "Reboot, Network, MailType or MailUser",
    "what this release does not change",
};
static_assert(std::size(step_names) == static_cast<std::size_t>(StoreStep::never) + 1);

/// Whether slurmctld may refuse a field at its step, when it has stored others.
enum class LateRefusal : std::uint8_t {
    none,           ///< it has checked the field before it stores any
    unless_pending, ///< it refuses the field of a job that has started
    possible,
};

/// When a field is stored.
struct Stored {
    StoreStep at;
    LateRefusal refusal = LateRefusal::none;
};

// The notes of the tables of fields.
constexpr Stored stored(StoreStep at) noexcept {
    return {at, LateRefusal::none};
}
constexpr Stored if_pending(StoreStep at) noexcept {
    return {at, LateRefusal::unless_pending};
}
constexpr Stored refusable(StoreStep at) noexcept {
    return {at, LateRefusal::possible};
}
/// `here` in releases that store a change of the field.
constexpr Stored stored_if(bool this_release_does, Stored here) noexcept {
    return this_release_does ? here : refusable(StoreStep::never);
}
inline constexpr Stored not_stored = refusable(StoreStep::never);

} // namespace qg::slurm
