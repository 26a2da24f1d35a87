// SPDX-License-Identifier: GPL-2.0-or-later
//
// Requests for which the selection finds no nodes (error 2014), whatever nodes there are and
// whatever the limits say (limits/README.md 6.5).
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/model/job_request.hpp"

namespace qg::gate {

/// Whether --cpus-per-gpu is to give CPUs to several models of one resource: that may leave tasks without
/// CPUs, in every release. Cost: quadratic in what a text names. Threads: pure.
bool gives_cpus_to_models(const model::JobRequest& request);

/// Whether a request is of a kind that may get no nodes. True is a guess. Cost: that of
/// gives_cpus_to_models(). Threads: pure.
bool may_get_no_nodes(const model::JobRequest& request, limits::Release release);

} // namespace qg::gate
