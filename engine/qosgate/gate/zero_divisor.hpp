// SPDX-License-Identifier: GPL-2.0-or-later
//
// Jobs that would end slurmctld: it divides by some counts without a look, and a 0 is a SIGFPE. sbatch,
// salloc and srun refuse a 0 there; other programs send it.
#pragma once

#include "qosgate/gate/decision_log.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/policy/settings.hpp"

#include <string_view>

namespace qg::gate {

/// The option by whose 0 slurmctld would divide; empty: none. Threads: pure.
std::string_view find_zero_divisor(const model::JobRequest& request) noexcept;

/// Makes the refusal of such a job, or of such a change, the answer, whatever the settings are.
void refuse_zero_divisor(model::Decision& decision, std::string_view option, const LoggedJob& job,
                         const policy::Settings& settings);

} // namespace qg::gate
