// SPDX-License-Identifier: GPL-2.0-or-later
//
// A change of an existing job, before and after.
#pragma once

#include "qosgate/model/job_request.hpp"
#include "qosgate/model/update_parts.hpp"

#include <cstdint>

namespace qg::model {

/// A change of an existing job.
struct JobUpdate {
    std::uint32_t job_id = 0;               ///< 0: not known
    JobRequest before;                      ///< the job as it is
    JobRequest after;                       ///< as it would be; its `submit_uid` is who changes it
    bool names_qos = false;                 ///< the change names a QOS, even the current one
    bool names_time = false;                ///< the change names a time limit, even the current one
    UpdateParts parts = UpdateParts::all(); ///< what it sets
};

} // namespace qg::model
