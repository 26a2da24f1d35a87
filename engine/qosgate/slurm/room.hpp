// SPDX-License-Identifier: GPL-2.0-or-later
//
// Room: whether the limits in Slurm's records leave room for a job, seen without copying anything. Most jobs
// are far from every limit, and copying limits is most of what a verdict costs.
#pragma once

#include "qosgate/model/demand.hpp"

#include <slurm/slurmdb.h>

#include <cstdint>
#include <string_view>

namespace qg::slurm {

/// One job among records.
///
/// "Room is left" is certain: no check of limits/README.md 4 finds a limit of the record exceeded, and none
/// gives the job another time. The opposite is a guess: numbers are taken as if all limits were strict, and
/// what scales limits or time (LimitFactor, UsageFactorSafe) counts as no room. So whoever is answered no
/// looks properly. Ownership: borrows the demand and the account's name. Threads: the caller holds what
/// protects the records.
class Room {
  public:
    Room(const model::Demand& demand, std::uint32_t user_id, std::string_view account)
        : demand_(demand), user_id_(user_id), account_(account) {}

    [[nodiscard]] bool is_left_by(const slurmdb_qos_rec_t& qos) const;
    /// An association alone, not those above it.
    [[nodiscard]] bool is_left_by(const slurmdb_assoc_rec_t& association) const;

  private:
    const model::Demand& demand_;
    std::uint32_t user_id_;
    std::string_view account_;
};

} // namespace qg::slurm
