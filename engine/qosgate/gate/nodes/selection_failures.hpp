// SPDX-License-Identifier: GPL-2.0-or-later
//
// Requests for which the selection finds no nodes (error 2014), whatever the nodes and limits are
// (limits/README.md 6.5).
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/model/job_request.hpp"

#include <cstdint>
#include <optional>

namespace qg::gate {

/// Whether --cpus-per-gpu gives CPUs to several models of one gres. That may leave tasks without CPUs, in
/// every release. Cost: quadratic in the number of entries. Threads: pure.
bool gives_cpus_to_models(const model::JobRequest& request);

/// The CPUs on each node that the GPUs per node bring along (--cpus-per-gpu), if the job's tasks get no
/// others there (`gives_cpus_of_gres_only`); empty: the tasks may get more. Cost: quadratic in the number of
/// entries. Threads: pure.
std::optional<std::uint64_t> cpus_of_gres_on_node(const model::JobRequest& request, limits::Release release);

/// Whether a request is of a kind that may get no nodes. True is not certain. Cost: that of
/// gives_cpus_to_models(). Threads: pure.
bool may_fail_selection(const model::JobRequest& request, limits::Release release);

} // namespace qg::gate
