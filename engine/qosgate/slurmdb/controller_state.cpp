// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/controller_state.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/controller_ping.hpp"

#include <algorithm>
#include <cerrno>

#include <slurm/slurm_errno.h>

namespace qg::slurmdb {

bool names_qos(const char* list, std::string_view name) {
    if (list == nullptr) return false;
    const auto names = text::split(list, ',');
    return std::any_of(names.begin(), names.end(), [&](auto other) { return text::iequals(other, name); });
}

bool is_over(const slurm_job_info_t& job) {
    return (job.job_state & JOB_STATE_BASE) >= JOB_COMPLETE && (job.job_state & JOB_COMPLETING) == 0;
}

ControllerState ControllerState::load(const Session& session) {
    ControllerState controller;
    const Deadline deadline(session.time_limit());
    if (!any_controller_answers(session.conf())) {
        controller.failure = deadline.expired() ? "no answer in time" : "it does not answer a ping";
        return controller;
    }
    job_info_msg_t* jobs = nullptr;
    partition_info_msg_t* partitions = nullptr;
    errno = 0;
    if (slurm_load_jobs(0, &jobs, SHOW_ALL) != SLURM_SUCCESS ||
        slurm_load_partitions(0, &partitions, SHOW_ALL) != SLURM_SUCCESS)
        controller.failure = deadline.expired() ? "no answer in time" : slurm_strerror(errno);
    controller.jobs.reset(jobs);
    controller.partitions.reset(partitions);
    return controller;
}

} // namespace qg::slurmdb
