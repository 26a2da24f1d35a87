// SPDX-License-Identifier: GPL-2.0-or-later
//
// The field of each limit in Slurm's records of QOSs and associations.
#pragma once

#include "qosgate/model/limit_facts.hpp"

#include <slurm/slurmdb.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace qg::slurm::rows {

using model::CountLimit;
using model::TresLimit;
using Qos = slurmdb_qos_rec_t;
using Assoc = slurmdb_assoc_rec_t;

/// Whether a limit counts on users' associations alone. They have inherited it from those of accounts.
template <typename Record, typename Limit>
constexpr bool is_of_users_alone(Limit limit) {
    return std::is_same_v<Record, Assoc> && model::facts_of(limit).is_of_users_alone();
}

/// A TRES limit: its text, and the values that slurmctld reads from that text whenever it changes. If the
/// text is null or empty, no value counts.
template <typename Record>
struct TresRow {
    TresLimit limit;
    char* Record::*text;
    std::uint64_t* Record::*values;
    bool of_users_alone = is_of_users_alone<Record>(limit);
};

template <typename Record>
struct CountRow {
    CountLimit limit;
    std::uint32_t Record::*value;
    bool of_users_alone = is_of_users_alone<Record>(limit);
};

inline constexpr TresRow<Qos> qos_tres[] = {
    {TresLimit::max_tres_per_job, &Qos::max_tres_pj, &Qos::max_tres_pj_ctld},
    {TresLimit::max_tres_per_node, &Qos::max_tres_pn, &Qos::max_tres_pn_ctld},
    {TresLimit::max_tres_per_user, &Qos::max_tres_pu, &Qos::max_tres_pu_ctld},
    {TresLimit::max_tres_per_account, &Qos::max_tres_pa, &Qos::max_tres_pa_ctld},
    {TresLimit::grp_tres, &Qos::grp_tres, &Qos::grp_tres_ctld},
    {TresLimit::max_tres_mins_per_job, &Qos::max_tres_mins_pj, &Qos::max_tres_mins_pj_ctld},
    {TresLimit::grp_tres_mins, &Qos::grp_tres_mins, &Qos::grp_tres_mins_ctld},
    {TresLimit::grp_tres_run_mins, &Qos::grp_tres_run_mins, &Qos::grp_tres_run_mins_ctld},
    {TresLimit::max_tres_run_mins_per_account, &Qos::max_tres_run_mins_pa, &Qos::max_tres_run_mins_pa_ctld},
    {TresLimit::max_tres_run_mins_per_user, &Qos::max_tres_run_mins_pu, &Qos::max_tres_run_mins_pu_ctld},
    {TresLimit::min_tres_per_job, &Qos::min_tres_pj, &Qos::min_tres_pj_ctld},
};

inline constexpr CountRow<Qos> qos_count[] = {
    {CountLimit::grp_jobs, &Qos::grp_jobs},
    {CountLimit::max_jobs_per_user, &Qos::max_jobs_pu},
    {CountLimit::max_jobs_per_account, &Qos::max_jobs_pa},
    {CountLimit::grp_submit_jobs, &Qos::grp_submit_jobs},
    {CountLimit::max_submit_jobs_per_user, &Qos::max_submit_jobs_pu},
    {CountLimit::max_submit_jobs_per_account, &Qos::max_submit_jobs_pa},
    {CountLimit::max_wall, &Qos::max_wall_pj},
    {CountLimit::grp_wall, &Qos::grp_wall},
};

// MaxTRESRunMins of an association is stored by Slurm but enforced by no release, hence absent.
inline constexpr TresRow<Assoc> assoc_tres[] = {
    {TresLimit::grp_tres, &Assoc::grp_tres, &Assoc::grp_tres_ctld},
    {TresLimit::grp_tres_mins, &Assoc::grp_tres_mins, &Assoc::grp_tres_mins_ctld},
    {TresLimit::grp_tres_run_mins, &Assoc::grp_tres_run_mins, &Assoc::grp_tres_run_mins_ctld},
    {TresLimit::max_tres_per_job, &Assoc::max_tres_pj, &Assoc::max_tres_ctld},
    {TresLimit::max_tres_per_node, &Assoc::max_tres_pn, &Assoc::max_tres_pn_ctld},
    {TresLimit::max_tres_mins_per_job, &Assoc::max_tres_mins_pj, &Assoc::max_tres_mins_ctld},
};

inline constexpr CountRow<Assoc> assoc_count[] = {
    {CountLimit::grp_jobs, &Assoc::grp_jobs},
    {CountLimit::grp_submit_jobs, &Assoc::grp_submit_jobs},
    {CountLimit::grp_wall, &Assoc::grp_wall},
    {CountLimit::max_jobs, &Assoc::max_jobs},
    {CountLimit::max_submit_jobs, &Assoc::max_submit_jobs},
    {CountLimit::max_wall, &Assoc::max_wall_pj},
};

/// The limits of two tables.
template <typename Record, std::size_t N, std::size_t M>
constexpr model::LimitSet limits_of(const TresRow<Record> (&tres)[N], const CountRow<Record> (&count)[M]) {
    model::LimitSet limits;
    for (const auto& row : tres)
        limits += row.limit;
    for (const auto& row : count)
        limits += row.limit;
    return limits;
}

// A limit without a row is never read, as if nobody had set it.
static_assert(limits_of(qos_tres, qos_count) == model::limits_where(&model::LimitFacts::is_of_qos));
static_assert(limits_of(assoc_tres, assoc_count) ==
              model::limits_where(&model::LimitFacts::is_of_association));

} // namespace qg::slurm::rows
