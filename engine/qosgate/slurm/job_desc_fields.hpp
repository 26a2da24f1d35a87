// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which field of JobRequest is which field of job_desc_msg_t. Reading a submission, laying an update over a
// job and writing a changed request back all follow these tables.
#pragma once

#include "qosgate/model/job_request.hpp"

#include <slurm/slurm.h>

#include <cstdint>
#include <optional>
#include <string>

namespace qg::slurm {

/// A text; null or empty is unset.
struct TextField {
    std::optional<std::string> model::JobRequest::*request;
    char* job_desc_msg_t::*slurm;
};

/// What a 0 in Slurm's field says.
enum class Zero : std::uint8_t { is_a_count, is_unset };

/// A count, in a field of 16 or 32 bits.
template <typename Int>
struct CountField {
    std::optional<std::uint32_t> model::JobRequest::*request;
    Int job_desc_msg_t::*slurm;
    Zero zero;
};

/// A time in minutes.
struct TimeField {
    std::optional<TimeLimit> model::JobRequest::*request;
    std::uint32_t job_desc_msg_t::*slurm;
};

inline constexpr TextField text_fields[] = {
    {&model::JobRequest::name, &job_desc_msg_t::name},
    {&model::JobRequest::account, &job_desc_msg_t::account},
    {&model::JobRequest::partition, &job_desc_msg_t::partition},
    {&model::JobRequest::qos, &job_desc_msg_t::qos},
    {&model::JobRequest::reservation, &job_desc_msg_t::reservation},
    {&model::JobRequest::comment, &job_desc_msg_t::comment},
    {&model::JobRequest::admin_comment, &job_desc_msg_t::admin_comment},
    {&model::JobRequest::features, &job_desc_msg_t::features},
    {&model::JobRequest::licenses, &job_desc_msg_t::licenses},
    {&model::JobRequest::array, &job_desc_msg_t::array_inx},
    {&model::JobRequest::required_nodes, &job_desc_msg_t::req_nodes},
    {&model::JobRequest::tres_per_job, &job_desc_msg_t::tres_per_job},
    {&model::JobRequest::tres_per_node, &job_desc_msg_t::tres_per_node},
    {&model::JobRequest::tres_per_socket, &job_desc_msg_t::tres_per_socket},
    {&model::JobRequest::tres_per_task, &job_desc_msg_t::tres_per_task},
    {&model::JobRequest::memory_per_tres, &job_desc_msg_t::mem_per_tres},
    {&model::JobRequest::cpus_per_tres, &job_desc_msg_t::cpus_per_tres},
};

inline constexpr CountField<std::uint32_t> wide_count_fields[] = {
    {&model::JobRequest::min_nodes, &job_desc_msg_t::min_nodes, Zero::is_a_count},
    {&model::JobRequest::max_nodes, &job_desc_msg_t::max_nodes, Zero::is_a_count},
    {&model::JobRequest::tasks, &job_desc_msg_t::num_tasks, Zero::is_a_count},
    {&model::JobRequest::min_cpus, &job_desc_msg_t::min_cpus, Zero::is_a_count},
    {&model::JobRequest::max_cpus, &job_desc_msg_t::max_cpus, Zero::is_a_count},
    {&model::JobRequest::priority, &job_desc_msg_t::priority, Zero::is_a_count}, // 0 = held
};

inline constexpr CountField<std::uint16_t> narrow_count_fields[] = {
    {&model::JobRequest::cpus_per_task, &job_desc_msg_t::cpus_per_task, Zero::is_unset},
    {&model::JobRequest::tasks_per_node, &job_desc_msg_t::ntasks_per_node, Zero::is_unset},
    {&model::JobRequest::tasks_per_socket, &job_desc_msg_t::ntasks_per_socket, Zero::is_unset},
    {&model::JobRequest::tasks_per_tres, &job_desc_msg_t::ntasks_per_tres, Zero::is_unset},
    {&model::JobRequest::sockets_per_node, &job_desc_msg_t::sockets_per_node, Zero::is_unset},
};

inline constexpr TimeField time_fields[] = {
    {&model::JobRequest::time_limit, &job_desc_msg_t::time_limit},
    {&model::JobRequest::time_min, &job_desc_msg_t::time_min},
};

} // namespace qg::slurm
