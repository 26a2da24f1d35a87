// SPDX-License-Identifier: GPL-2.0-or-later
#include "job_desc_writer.hpp"

#include "host_alloc.hpp"
#include "qosgate/slurm/job_desc_fields.hpp"
#include "qosgate/slurm/values.hpp"

namespace qg::plugin {

void write_changes(job_desc_msg_t& description, const model::JobRequest& original,
                   const model::JobRequest& changed) {
    const auto differs = [&](auto member) { return original.*member != changed.*member; };

    for (const slurm::TextField& field : slurm::text_fields)
        if (differs(field.request)) assign_text(description.*field.slurm, changed.*field.request);
    for (const auto& field : slurm::wide_count_fields)
        if (differs(field.request))
            description.*field.slurm = slurm::write_count<std::uint32_t>(changed.*field.request);
    for (const auto& field : slurm::narrow_count_fields)
        if (differs(field.request))
            description.*field.slurm = slurm::write_count<std::uint16_t>(changed.*field.request);
    for (const slurm::TimeField& field : slurm::time_fields)
        if (differs(field.request)) description.*field.slurm = slurm::write_time(changed.*field.request);
    if (differs(&model::JobRequest::memory)) description.pn_min_memory = slurm::write_memory(changed.memory);
    if (differs(&model::JobRequest::overcommit)) description.overcommit = changed.overcommit ? 1 : NO_VAL8;
    if (differs(&model::JobRequest::exclusive))
        description.shared = changed.exclusive ? JOB_SHARED_NONE : NO_VAL16;
}

} // namespace qg::plugin
