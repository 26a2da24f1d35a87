// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/reject_codes.hpp"

#include <slurm/slurm_errno.h>

#include <cerrno>

namespace qg::slurm {

int to_slurm_error(model::RejectCode code) noexcept {
    using model::RejectCode;
    switch (code) {
    case RejectCode::none: return SLURM_SUCCESS;
    case RejectCode::invalid_qos: return ESLURM_INVALID_QOS;
    case RejectCode::accounting_policy: return ESLURM_ACCOUNTING_POLICY;
    case RejectCode::invalid_account: return ESLURM_INVALID_ACCOUNT;
    case RejectCode::invalid_partition: return ESLURM_INVALID_PARTITION_NAME;
    case RejectCode::invalid_time_limit: return ESLURM_INVALID_TIME_LIMIT;
    case RejectCode::invalid_time_min: return ESLURM_INVALID_TIME_MIN_LIMIT;
    case RejectCode::invalid_node_count: return ESLURM_INVALID_NODE_COUNT;
    case RejectCode::bad_task_count: return ESLURM_BAD_TASK_COUNT;
    case RejectCode::too_many_cpus: return ESLURM_TOO_MANY_REQUESTED_CPUS;
    case RejectCode::invalid_tres: return ESLURM_INVALID_TRES;
    case RejectCode::invalid_nice: return ESLURM_INVALID_NICE;
    case RejectCode::invalid_array: return ESLURM_INVALID_ARRAY;
    case RejectCode::partition_limits: return ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE;
    case RejectCode::text_too_long: return ESLURM_PATHNAME_TOO_LONG;
    case RejectCode::partition_assoc: return ESLURM_PARTITION_ASSOC;
    case RejectCode::access_denied: return ESLURM_ACCESS_DENIED;
    case RejectCode::try_again: return EAGAIN;
    }
    return ESLURM_ACCESS_DENIED;
}

std::string describe_slurm_error(model::RejectCode code) {
    return describe_slurm_error(to_slurm_error(code));
}

std::string describe_missing_group() {
    return describe_slurm_error(ESLURM_JOB_MISSING_REQUIRED_PARTITION_GROUP);
}

std::string describe_unavailable_partition() {
    return describe_slurm_error(ESLURM_PARTITION_NOT_AVAIL);
}

std::string describe_slurm_error(int code) {
    return slurm_strerror(code);
}

} // namespace qg::slurm
