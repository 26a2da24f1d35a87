// SPDX-License-Identifier: GPL-2.0-or-later
//
// The names by which people ask for jobs: those that squeue shows.
#pragma once

#include "qosgate/model/queued_job.hpp"

#include <string_view>

namespace qg::cli {

/// Whether the name means the job: "1234" all of an array or a heterogeneous job, "1234_5" and "1234_[6-9]"
/// the tasks, "1234+1" the part. Tasks that are still together are meant by each of them.
bool is_meant(const model::QueuedJob& job, std::string_view name);

} // namespace qg::cli
