// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/controller_state.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/cluster_messages.hpp"
#include "qosgate/slurmdb/controller_ping.hpp"

#include <algorithm>
#include <utility>

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
    auto jobs = slurm::load_jobs(slurm::everything);
    auto partitions = jobs ? slurm::load_partitions(slurm::everything) : jobs.error();
    if (!partitions) {
        controller.failure = deadline.expired() ? "no answer in time" : partitions.error().message;
        return controller;
    }
    controller.jobs = *std::move(jobs);
    controller.partitions = *std::move(partitions);
    return controller;
}

} // namespace qg::slurmdb
