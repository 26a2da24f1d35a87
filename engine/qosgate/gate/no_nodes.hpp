// SPDX-License-Identifier: GPL-2.0-or-later
//
// Requests for which the selection of some releases finds no nodes (error 2014), whatever nodes there are and
// whatever the limits say (limits/README.md 6.5).
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/model/job_request.hpp"

namespace qg::gate {

/// Whether a request is of a kind that may get no nodes. True is a guess. Cost: linear in its texts of
/// resources. Threads: pure.
bool may_get_no_nodes(const model::JobRequest& request, limits::Release release);

} // namespace qg::gate
