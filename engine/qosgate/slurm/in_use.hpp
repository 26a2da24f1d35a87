// SPDX-License-Identifier: GPL-2.0-or-later
//
// InUse: what is in use of a QOS, of an association, or of a user or account within a QOS, seen where Slurm
// keeps it.
#pragma once

#include "qosgate/slurm/compat.hpp"

#include <slurm/slurmdb.h>

#include <cstddef>
#include <cstdint>

namespace qg::slurm {

/// Slurm's three kinds of usage records under one set of names. Arrays stand in TRES position order; null
/// ones say that nothing is in use. Ownership: borrows the arrays. Threads: the caller holds what protects
/// them.
struct InUse {
    std::uint64_t jobs = 0;        ///< running
    std::uint64_t submit_jobs = 0; ///< pending and running
    double wall_seconds = 0;
    std::size_t tres_count = 0; ///< of each array
    const std::uint64_t* tres = nullptr;
    const std::uint64_t* committed = nullptr;  ///< TRES x time that running jobs may still use
    bool committed_in_seconds = true;          ///< else minutes
    const long double* past_seconds = nullptr; ///< TRES x time used so far
};

InUse in_use(const slurmdb_qos_usage_t& usage) noexcept;
InUse in_use(const slurmdb_assoc_usage_t& usage) noexcept;
/// `tres_count` is that of the QOS's own usage.
InUse in_use(const slurmdb_used_limits_t& usage, std::size_t tres_count) noexcept;

} // namespace qg::slurm
