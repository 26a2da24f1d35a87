// SPDX-License-Identifier: GPL-2.0-or-later
//
// Headroom: whether a job fits the limits in Slurm's records, checked without copying anything. Most jobs are
// far from every limit, and copying limits is most of a verdict's cost.
#pragma once

#include "qosgate/model/resource_bounds.hpp"

#include <slurm/slurmdb.h>

#include <cstdint>
#include <string_view>

namespace qg::slurm {

/// One job among records.
///
/// `true` is certain: no check of limits/README.md 4 finds a limit of the record exceeded, and none gives the
/// job another time. `false` is conservative: all limits count as strict, and factors on limits or time
/// (LimitFactor, UsageFactorSafe) count as no room. After `false` the caller must evaluate all limits.
/// Ownership: borrows the bounds and the account's name. Threads: the caller holds the locks that protect the
/// records.
class Headroom {
  public:
    Headroom(const model::ResourceBounds& bounds, std::uint32_t user_id, std::string_view account)
        : bounds_(bounds), user_id_(user_id), account_(account) {}

    [[nodiscard]] bool suffices_for(const slurmdb_qos_rec_t& qos) const;
    /// Only this association, not those above it.
    [[nodiscard]] bool suffices_for(const slurmdb_assoc_rec_t& association) const;

  private:
    const model::ResourceBounds& bounds_;
    std::uint32_t user_id_;
    std::string_view account_;
};

} // namespace qg::slurm
