// SPDX-License-Identifier: GPL-2.0-or-later
//
// UsageView: the usage of a QOS, of an association, or of a user or account within a QOS, read directly from
// Slurm's records.
#pragma once

#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/values.hpp"

#include <slurm/slurmdb.h>

#include <cstddef>
#include <cstdint>

namespace qg::slurm {

/// Slurm's three kinds of usage records under one set of names. Arrays are in TRES position order; a null
/// array means no usage. Ownership: borrows the arrays. Threads: the caller holds the locks that protect
/// them.
struct UsageView {
    std::uint64_t jobs = 0;        ///< running
    std::uint64_t submit_jobs = 0; ///< pending and running
    double wall_seconds = 0;
    std::size_t tres_count = 0; ///< of each array
    const std::uint64_t* tres = nullptr;
    const std::uint64_t* tres_run = nullptr;      ///< TRES x time that running jobs may still use
    bool tres_run_in_seconds = true;              ///< else minutes
    const long double* decayed_seconds = nullptr; ///< TRES x time used so far

    /// How much of a TRES running jobs have; 0 beyond the end of the array, here and below.
    [[nodiscard]] std::uint64_t running(std::size_t index) const noexcept {
        return has(tres, index) ? tres[index] : 0;
    }
    /// How much of it they may still use, in whole minutes.
    [[nodiscard]] std::uint64_t run_minutes(std::size_t index) const noexcept {
        if (!has(tres_run, index)) return 0;
        return tres_run_in_seconds ? tres_run[index] / seconds_per_minute : tres_run[index];
    }
    /// How much of it was used so far, in whole minutes.
    [[nodiscard]] std::uint64_t past_minutes(std::size_t index) const noexcept {
        return has(decayed_seconds, index) ? whole_minutes(decayed_seconds[index]) : 0;
    }
    [[nodiscard]] std::uint64_t wall_minutes() const noexcept { return whole_minutes(wall_seconds); }

  private:
    [[nodiscard]] bool has(const void* array, std::size_t index) const noexcept {
        return array != nullptr && index < tres_count;
    }
};

UsageView view_usage(const slurmdb_qos_usage_t& usage) noexcept;
UsageView view_usage(const slurmdb_assoc_usage_t& usage) noexcept;
/// `tres_count` is that of the QOS's own usage.
UsageView view_usage(const slurmdb_used_limits_t& usage, std::size_t tres_count) noexcept;

} // namespace qg::slurm
