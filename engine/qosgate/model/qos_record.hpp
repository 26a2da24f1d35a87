// SPDX-License-Identifier: GPL-2.0-or-later
//
// QosRecord: one QOS as slurmdbd stores it and as an administrator knows it. A plain value: names instead of
// ids, an empty optional instead of Slurm's special numbers. What each field means, its spelling and its unit
// stand in the schema (qos_fields.hpp); how typed assignments change a record, in qos_change.hpp.
//
// Three states must stay apart: unset (empty: this QOS says nothing, another QOS or association may limit),
// zero (a limit of nothing) and a number. A record has no "unlimited" of its own: Slurm cannot store one.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace qg::model {

/// Orders TRES names as Slurm numbers them: cpu, mem, energy, node, billing, fs/disk, vmem, pages, then all
/// others by name.
struct TresOrder {
    bool operator()(std::string_view a, std::string_view b) const noexcept;
    using is_transparent = void;
};

/// A limit per TRES, by full name ("gres/gpu"). Units: mem in MiB, everything else plain; in "…Mins" fields
/// these times minutes. A TRES that is absent has no limit; a count of 0 is a limit of nothing.
using TresLimits = std::map<std::string, std::uint64_t, TresOrder>;

/// Names without order or repetition.
using WordSet = std::set<std::string>;

/// A limit that may be unset.
using OptionalLimit = std::optional<std::uint32_t>;

/// All that slurmdbd stores of one QOS. A default-made record is what Slurm makes of a QOS created without
/// any settings.
struct QosRecord {
    std::string name; ///< lower case, as slurmdbd keeps it
    std::string description;
    std::uint32_t priority = 0;

    std::uint32_t grace_time_seconds = 0;
    WordSet preempt;      ///< names of the QOSs whose jobs this one may preempt
    WordSet preempt_mode; ///< empty: the cluster's own mode
    OptionalLimit preempt_exempt_seconds;

    WordSet flags; ///< sacctmgr's names; a bit that this program does not know is "bit<N>"
    double usage_factor = 1.0;
    std::optional<double> usage_threshold;
    std::optional<double> limit_factor;

    TresLimits grp_tres;
    TresLimits grp_tres_mins;
    TresLimits grp_tres_run_mins;
    OptionalLimit grp_jobs;
    OptionalLimit grp_jobs_accrue;
    OptionalLimit grp_submit_jobs;
    OptionalLimit grp_wall_minutes;

    TresLimits max_tres_per_job;
    TresLimits max_tres_per_node;
    TresLimits max_tres_per_user;
    TresLimits max_tres_per_account;
    TresLimits max_tres_mins_per_job;
    TresLimits max_tres_run_mins_per_user;
    TresLimits max_tres_run_mins_per_account;
    OptionalLimit max_wall_minutes;
    OptionalLimit max_jobs_per_user;
    OptionalLimit max_jobs_per_account;
    OptionalLimit max_submit_jobs_per_user;
    OptionalLimit max_submit_jobs_per_account;
    OptionalLimit max_jobs_accrue_per_user;
    OptionalLimit max_jobs_accrue_per_account;

    TresLimits min_tres_per_job;
    OptionalLimit min_prio_threshold;

    friend bool operator==(const QosRecord&, const QosRecord&) = default;
};

/// Every field that is not at its default, as "Name=moonlight MaxWall=08:00:00 …".
std::ostream& operator<<(std::ostream& out, const QosRecord& record);

} // namespace qg::model
