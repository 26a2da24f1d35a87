// SPDX-License-Identifier: GPL-2.0-or-later
//
// A workaround for slurmdbd 22.05 to 23.11 (fixed in 24.05), to be removed with the last of them: when it
// changes MaxTRESRunMinsPerAccount it takes the stored MaxTRESRunMinsPerUser for the old value, merges into
// that, and writes nothing where the outcome is equal to it.
#pragma once

#include "qosgate/model/qos_record.hpp"

#include <vector>

namespace qg::slurmdb {

/// The records to write one after the other, `after` being the last. Nearly always `after` alone; where the
/// limits per account are to become equal to those stored per user, the latter step aside meanwhile.
/// Right on every release.
std::vector<model::QosRecord> stages_between(const model::QosRecord& before, const model::QosRecord& after);

} // namespace qg::slurmdb
