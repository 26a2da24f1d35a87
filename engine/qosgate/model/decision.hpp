// SPDX-License-Identifier: GPL-2.0-or-later
//
// Decision: what the gate answers for one job.
#pragma once

#include "qosgate/model/job_request.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace qg::model {

/// Why a job is refused, in terms of Slurm's own errors (limits.md 1.5); the plugin maps it to the errno.
enum class RejectCode : std::uint8_t {
    none,
    invalid_qos,        ///< ESLURM_INVALID_QOS
    accounting_policy,  ///< ESLURM_ACCOUNTING_POLICY
    invalid_account,    ///< ESLURM_INVALID_ACCOUNT
    invalid_partition,  ///< ESLURM_INVALID_PARTITION_NAME
    invalid_time_limit, ///< ESLURM_INVALID_TIME_LIMIT
    access_denied,      ///< ESLURM_ACCESS_DENIED: a rule of the site said no
};

/// The answer for one job. A rejected job was not changed.
struct Decision {
    /// What the gate itself answers. In level `explain` it stays `none` for limits: slurmctld refuses the
    /// job.
    RejectCode reject = RejectCode::none;
    /// What slurmctld is expected to answer by itself; equals `reject` where the gate refuses.
    RejectCode expected = RejectCode::none;
    std::string reason; ///< Slurm's Reason token of the first problem ("QOSMaxGRESPerUser"); may be empty
    std::vector<std::string> message; ///< lines for the user, in order, without newlines; may be empty
    std::vector<std::string> log;     ///< lines for the administrator's log
    JobRequest request;               ///< the job as the rules left it
    bool changed = false;             ///< whether a rule changed `request`
};

} // namespace qg::model
