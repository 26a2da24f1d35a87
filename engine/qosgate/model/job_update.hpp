// SPDX-License-Identifier: GPL-2.0-or-later
//
// A change of an existing job, before and after.
#pragma once

#include "qosgate/model/job_request.hpp"
#include "qosgate/model/update_parts.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace qg::model {

/// What stays of a change if slurmctld refuses the rest of it (limits/README.md 9).
struct StoredPart {
    JobRequest after;                   ///< the job as this part would make it
    UpdateParts parts;                  ///< what it sets
    std::string refused;                ///< what slurmctld may refuse, as scontrol calls it
    std::shared_ptr<const void> source; ///< what the details of `after` borrow; null: they borrow no more
};

/// A change of an existing job.
struct JobUpdate {
    std::uint32_t job_id = 0;                  ///< 0: not known
    JobRequest before;                         ///< the job as it is
    JobRequest after;                          ///< as it would be; its `submit_uid` is who changes it
    bool names_qos = false;                    ///< the change names a QOS, even the current one
    bool names_time = false;                   ///< the change names a time limit, even the current one
    UpdateParts parts = UpdateParts::all();    ///< what it sets
    std::vector<StoredPart> stored_parts = {}; ///< from the smallest to the largest, without the whole
};

} // namespace qg::model
