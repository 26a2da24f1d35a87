// SPDX-License-Identifier: GPL-2.0-or-later
//
// QosRecord: one QOS as slurmdbd stores it and as an administrator knows it. A plain value: names instead of
// ids, an empty optional instead of Slurm's special numbers. The schema (qos_fields.hpp) has each field's
// meaning, spelling and unit; qos_change.hpp has how typed assignments change a record.
//
// Three states differ: unset (empty: this QOS sets no limit, but another QOS or association may), zero
// (nothing is allowed) and a number. There is no value "unlimited": Slurm cannot store one.
#pragma once

#include <cstddef>
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

/// A limit per TRES, by full name ("gres/gpu"). Units: mem in MiB, everything else plain; "…Mins" fields
/// count these x minutes. A TRES that is absent has no limit; a count of 0 allows nothing.
using TresLimits = std::map<std::string, std::uint64_t, TresOrder>;

/// Names without order or repetition.
using NameSet = std::set<std::string>;

/// A limit that may be unset.
using OptionalLimit = std::optional<std::uint32_t>;

/// Everything that slurmdbd stores about one QOS. A default-constructed record equals a QOS that was created
/// without settings.
struct QosRecord {
    std::string name; ///< lower case, as slurmdbd keeps it
    std::string description;
    std::uint32_t priority = 0;

    std::uint32_t grace_time_seconds = 0;
    NameSet preempt;      ///< names of the QOSs whose jobs this one may preempt
    NameSet preempt_mode; ///< empty: the cluster's own mode
    OptionalLimit preempt_exempt_seconds;

    NameSet flags; ///< sacctmgr's names; a bit that this program does not know is "bit<N>"
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

/// slurmdbd's index of QOSs has only this many bytes of a name: a QOS whose name begins with the same bytes
/// as another's would replace that one.
inline constexpr std::size_t telling_name_bytes = 42;

/// The part of a QOS's name that tells it apart from others.
constexpr std::string_view telling_part(std::string_view name) {
    return name.substr(0, telling_name_bytes);
}

/// Every field that is not at its default, as "Name=moonlight MaxWall=08:00:00 …".
std::ostream& operator<<(std::ostream& out, const QosRecord& record);

} // namespace qg::model
