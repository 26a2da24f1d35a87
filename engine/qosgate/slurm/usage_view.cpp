// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/usage_view.hpp"

namespace qg::slurm {
namespace {

/// The members that QOSs and associations have in common; only the names of the job counts differ.
template <typename SlurmUsage>
UsageView usage_of_all(const SlurmUsage& usage) noexcept {
    UsageView used;
    used.wall_seconds = usage.grp_used_wall;
    used.tres_count = usage.tres_cnt;
    used.tres = usage.grp_used_tres;
    used.tres_run = usage.grp_used_tres_run_secs;
    used.decayed_seconds = usage.usage_tres_raw;
    return used;
}

} // namespace

UsageView view_usage(const slurmdb_qos_usage_t& usage) noexcept {
    UsageView used = usage_of_all(usage);
    used.jobs = usage.grp_used_jobs;
    used.submit_jobs = usage.grp_used_submit_jobs;
    return used;
}

UsageView view_usage(const slurmdb_assoc_usage_t& usage) noexcept {
    UsageView used = usage_of_all(usage);
    used.jobs = usage.used_jobs;
    used.submit_jobs = usage.used_submit_jobs;
    return used;
}

UsageView view_usage(const slurmdb_used_limits_t& usage, std::size_t tres_count) noexcept {
    UsageView used;
    used.jobs = usage.jobs;
    used.submit_jobs = usage.submit_jobs;
    used.tres_count = tres_count;
    used.tres = usage.tres;
    const RunTres run = run_tres(usage);
    used.tres_run = run.values;
    used.tres_run_in_seconds = run.is_in_seconds;
    return used;
}

} // namespace qg::slurm
