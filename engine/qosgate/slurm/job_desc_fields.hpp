// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which field of JobRequest is which field of job_desc_msg_t. Reading a submission, laying an update over a
// job and writing a changed request back all follow these tables.
#pragma once

#include "qosgate/model/job_request.hpp"
#include "qosgate/slurm/compat.hpp"

#include <slurm/slurm.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qg::slurm {

// How much of a text is read. slurmctld asks plugins first and looks at lengths afterwards, for new jobs and
// changes alike: what it then refuses need not be read. Where it takes any length or number, nobody needs
// more than stands here.
inline constexpr std::size_t longest_text = 1024;      ///< for slurmctld, of most texts
inline constexpr std::size_t longest_array = 4 * 1024; ///< for slurmctld
inline constexpr std::size_t longest_licenses = bounds_licenses ? longest_text : 4 * 1024;
inline constexpr std::size_t longest_list =
    64 * 1024; ///< of what it takes at any length; as long as in rules
inline constexpr std::size_t longest_node_list = 16 * 1024;
inline constexpr std::size_t most_qos = 16;
inline constexpr std::size_t most_licenses = 64;
inline constexpr std::size_t most_resources = 16; ///< that one text asks for
inline constexpr std::size_t any_number = longest_list;

/// A text; null or empty is unset.
struct TextField {
    std::optional<std::string> model::JobRequest::*request;
    char* job_desc_msg_t::*slurm;
    std::string_view name; ///< as rules know it
    std::size_t most_bytes = longest_text;
    std::size_t most_parts = any_number; ///< between separators
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
    {&model::JobRequest::name, &job_desc_msg_t::name, "name"},
    {&model::JobRequest::account, &job_desc_msg_t::account, "account"},
    {&model::JobRequest::partition, &job_desc_msg_t::partition, "partition"},
    {&model::JobRequest::qos, &job_desc_msg_t::qos, "qos", longest_text, most_qos},
    {&model::JobRequest::reservation, &job_desc_msg_t::reservation, "reservation"},
    {&model::JobRequest::comment, &job_desc_msg_t::comment, "comment"},
    {&model::JobRequest::admin_comment, &job_desc_msg_t::admin_comment, "admin_comment", longest_list},
    {&model::JobRequest::features, &job_desc_msg_t::features, "features"},
    {&model::JobRequest::prefer, &job_desc_msg_t::prefer, "prefer"},
    {&model::JobRequest::licenses, &job_desc_msg_t::licenses, "licenses", longest_licenses, most_licenses},
    {&model::JobRequest::array, &job_desc_msg_t::array_inx, "array", longest_array},
    {&model::JobRequest::required_nodes, &job_desc_msg_t::req_nodes, "nodelist", longest_node_list},
    {&model::JobRequest::tres_per_job, &job_desc_msg_t::tres_per_job, "tres_per_job", longest_text,
     most_resources},
    {&model::JobRequest::tres_per_node, &job_desc_msg_t::tres_per_node, "tres_per_node", longest_text,
     most_resources},
    {&model::JobRequest::tres_per_socket, &job_desc_msg_t::tres_per_socket, "tres_per_socket", longest_text,
     most_resources},
    {&model::JobRequest::tres_per_task, &job_desc_msg_t::tres_per_task, "tres_per_task", longest_text,
     most_resources},
    {&model::JobRequest::memory_per_tres, &job_desc_msg_t::mem_per_tres, "mem_per_tres", longest_text,
     most_resources},
    {&model::JobRequest::cpus_per_tres, &job_desc_msg_t::cpus_per_tres, "cpus_per_tres", longest_text,
     most_resources},
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
    {&model::JobRequest::min_cpus_per_node, &job_desc_msg_t::pn_min_cpus, Zero::is_unset},
};

inline constexpr TimeField time_fields[] = {
    {&model::JobRequest::time_limit, &job_desc_msg_t::time_limit},
    {&model::JobRequest::time_min, &job_desc_msg_t::time_min},
};

} // namespace qg::slurm
