// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/job_desc_writer.hpp"

#include "host/host_alloc.hpp"
#include "host/running_release.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/size/gres_request.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/job_field_members.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>

namespace qg::plugin {
namespace {

using model::JobDetail;
using Written = model::JobDetails::Written;

std::optional<std::int64_t> number_of(const Written& value) {
    const auto* number = std::get_if<std::int64_t>(&value);
    return number ? std::optional(*number) : std::nullopt;
}

std::optional<std::string> text_of(const Written& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text && !text->empty() ? std::optional(*text) : std::nullopt;
}

/// Writes one detail; those that rules cannot write are left as they are.
void write_detail(job_desc_msg_t& description, JobDetail detail, const Written& value) {
    const auto text = std::ranges::find(slurm::text_details, detail, &slurm::TextDetail::detail);
    if (text != std::end(slurm::text_details)) return assign_text(description.*text->slurm, text_of(value));
    const std::optional<std::int64_t> number = number_of(value);
    const auto small = std::ranges::find(slurm::short_details, detail, &slurm::ShortDetail::detail);
    if (small != std::end(slurm::short_details)) {
        const std::uint16_t unset = detail == JobDetail::mail_type ? 0 : NO_VAL16;
        description.*small->slurm = number ? static_cast<std::uint16_t>(*number) : unset;
    } else if (detail == JobDetail::nice) {
        description.nice = number ? static_cast<std::uint32_t>(*number + NICE_OFFSET) : NO_VAL;
    } else if (detail == JobDetail::begin_time) {
        description.begin_time = number.value_or(0);
    } else if (!number && (detail == JobDetail::core_spec || detail == JobDetail::thread_spec)) {
        description.core_spec = NO_VAL16; // rules can only take it away, by job.exclusive
    }
}

/// The place of a variable in an environment; its end if the environment does not have it.
std::size_t find_variable(const job_desc_msg_t& description, const std::string& name) {
    // The last of several definitions counts, as for the job's shell.
    for (std::size_t i = description.env_size; i-- > 0;) {
        const char* const definition = description.environment[i];
        if (definition != nullptr && std::strncmp(definition, name.c_str(), name.size()) == 0 &&
            definition[name.size()] == '=')
            return i;
    }
    return description.env_size;
}

/// Sets a variable of a job that has an environment. slurmctld knows its size, and it ends with a null, too.
void write_variable(job_desc_msg_t& description, const std::string& name, const std::string& value) {
    if (description.environment == nullptr || !slurm::is_count(description.env_size)) return;
    const std::size_t size = description.env_size;
    const std::size_t place = find_variable(description, name);
    if (place == size) {
        slurm_xrecalloc(reinterpret_cast<void**>(&description.environment), size + 2, sizeof(char*),
                        /*clear=*/true, /*may_fail=*/false, __FILE__, __LINE__, __func__);
        description.environment[size] = nullptr;
        description.environment[size + 1] = nullptr;
        description.env_size = static_cast<std::uint32_t>(size + 1);
    }
    assign_text(description.environment[place], name + "=" + value);
}

/// The tasks on each node, if they follow from tasks for each GPU and GPUs on each node.
void name_tasks_of_gpus(job_desc_msg_t& description, const model::JobRequest& request) {
    if (request.tasks_per_node) return;
    const std::uint64_t tasks = gate::gpus_of_each_node(request, running_release()) * *request.tasks_per_tres;
    if (tasks != 0 && tasks < NO_VAL16) description.ntasks_per_node = static_cast<std::uint16_t>(tasks);
}

} // namespace

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
    for (const auto& [detail, value] : changed.details.written())
        write_detail(description, detail, value);
    for (const auto& [name, value] : changed.details.written_variables())
        write_variable(description, name, value);
}

void name_gpus_of_tasks(job_desc_msg_t& description, const model::JobRequest& request) {
    const std::uint32_t per_gpu = request.tasks_per_tres.value_or(0);
    if (per_gpu == 0) [[likely]]
        return;
    if (gate::names_gpus(request)) return name_tasks_of_gpus(description, request);
    const auto add = [](char*& list, std::uint64_t gpus) {
        const std::string_view sent = slurm::view_text(list);
        assign_text(list,
                    text::format("{}{}{}gpu:{}", sent, sent.empty() ? "" : ",", slurm::gres_prefix, gpus));
    };
    // slurmctld refuses others: those without a number of tasks or nodes, and those whose tasks do not fill
    // the last GPU. Of the latter it would drop tasks if the GPUs were named.
    const std::uint64_t nodes = request.min_nodes.value_or(1);
    const std::uint64_t tasks =
        request.tasks.value_or(gate::to_count(nodes * request.tasks_per_node.value_or(0)));
    if (tasks != 0 && tasks % per_gpu == 0)
        add(description.tres_per_job, tasks / per_gpu);
    else if (tasks == 0 && !request.tasks && nodes == request.max_nodes)
        add(description.tres_per_node, 1);
}

} // namespace qg::plugin
