// SPDX-License-Identifier: GPL-2.0-or-later
//
// A workaround for slurmdbd 22.05 to 23.11 (fixed in 24.05); remove it when these are no longer supported.
// When slurmdbd changes MaxTRESRunMinsPerAccount, it uses the stored MaxTRESRunMinsPerUser as the old value,
// merges into that, and writes nothing if the result is equal to it.
#pragma once

#include "qosgate/model/qos_record.hpp"

#include <vector>

namespace qg::slurmdb {

/// The records to write one after the other, `after` being the last. Nearly always only `after`. If the
/// limits per account become equal to the stored ones per user, an intermediate record changes the latter for
/// a moment; only with a slurmdbd that mixes them up (slurm/compat.hpp).
std::vector<model::QosRecord> intermediate_records(const model::QosRecord& before,
                                                   const model::QosRecord& after);

} // namespace qg::slurmdb
