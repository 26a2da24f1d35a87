// SPDX-License-Identifier: GPL-2.0-or-later
//
// Changes QOSs of a world, as `qosgate qos update` would change those of slurmdbd.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/qos_record.hpp"
#include "qosgate/quota/local_quota.hpp"

#include <string>
#include <vector>

namespace qg::report {

/// Makes the changes "normal:MaxTRESPerUser=gres/gpu=4" or "day,night:GrpTRES=cpu=64 MaxWall=8:00:00". Names,
/// fields and values are those of `qosgate qos update`. Returns what changes, a line each:
/// "QOS normal: MaxTRESPerUser: unset -> gres/gpu=4". Errors: invalid_input for a change that cannot be read,
/// or of a field that decides about no job; not_found for a QOS that the world does not have.
Result<std::vector<std::string>> change_qos(quota::LocalRecords& records,
                                            const std::vector<std::string>& changes);

/// Puts a QOS into a world as slurmdbd's record has it; its usage stays. A new one has none.
void put_qos(quota::LocalRecords& records, const model::QosRecord& record);

/// Takes a QOS out of a world: out of associations' lists, too.
void remove_qos(quota::LocalRecords& records, const std::string& name);

} // namespace qg::report
