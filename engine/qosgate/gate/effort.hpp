// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much work a request makes: what makes too much is left to slurmctld, which waits while the gate works.
#pragma once

#include "qosgate/gate/resolve.hpp"
#include "qosgate/model/job_request.hpp"

#include <optional>
#include <string>

namespace qg::gate {

/// Why too much would have to be looked at, for the log; nothing: it is not. In each of its partitions a job
/// is tried with each of its QOSs, and each time its resources and licenses are counted.
std::optional<std::string> why_too_much(const model::JobRequest& request, const Resolved& resolved);

/// Whether looking ahead at a request, again and again, costs little.
bool is_short(const model::JobRequest& request, const Resolved& resolved);

} // namespace qg::gate
