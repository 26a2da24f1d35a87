// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which field of a job (model/job_field.hpp) is which member of job_desc_msg_t. These tables are used to read
// a submission, to apply an update to a job and to parts of it, and to write a changed request back.
#pragma once

#include "qosgate/model/job_field.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/store_step.hpp"

#include <slurm/slurm.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace qg::slurm {

// How much of a text is read. slurmctld calls plugins before it checks lengths, for new jobs and for changes:
// a text that it will refuse need not be read. For texts that slurmctld accepts at any length, these bounds
// are far above any real use.
inline constexpr std::size_t max_text_length = 1024;      ///< for slurmctld, of most texts
inline constexpr std::size_t max_array_length = 4 * 1024; ///< for slurmctld
inline constexpr std::size_t max_licenses_length = bounds_licenses ? max_text_length : 4 * 1024;
inline constexpr std::size_t max_list_length =
    64 * 1024; ///< of texts without a limit in slurmctld; as long as in rules
inline constexpr std::size_t max_node_list_length = 16 * 1024;
inline constexpr std::size_t max_qos = 16;
inline constexpr std::size_t max_licenses = 64;
inline constexpr std::size_t max_resources = 16; ///< in one text
inline constexpr std::size_t any_number = max_list_length;

/// A text; null or empty is unset.
struct TextField {
    std::optional<std::string> model::JobRequest::*request;
    char* job_desc_msg_t::*slurm;
    Stored stored; ///< at a change
    std::size_t max_bytes = max_text_length;
    std::size_t max_parts = any_number;                                    ///< between separators
    bool is_bounded = true;                                                ///< slurmctld refuses more bytes
    std::string_view name = model::find_field_of(request)->name;           ///< as rules know it
    std::string_view options = model::find_field_of(request)->option.text; ///< as users do
};

/// What a 0 in Slurm's field means.
enum class Zero : std::uint8_t { is_a_count, is_unset };

/// What INFINITE in Slurm's field means. No client sends it, but slurmctld takes it for an amount in some.
enum class Infinite : std::uint8_t { is_unset, is_a_count };

/// A count, in a field of 16 or 32 bits.
template <typename Int>
struct CountField {
    std::optional<std::uint32_t> model::JobRequest::*request;
    Int job_desc_msg_t::*slurm;
    Stored stored; ///< at a change
    Zero zero;
    Infinite infinite = Infinite::is_unset;
};

/// A time in minutes.
struct TimeField {
    std::optional<TimeLimit> model::JobRequest::*request;
    std::uint32_t job_desc_msg_t::*slurm;
    Stored stored; ///< at a change
};

inline constexpr TextField text_fields[] = {
    {&model::JobRequest::name, &job_desc_msg_t::name, stored(StoreStep::gres)},
    {&model::JobRequest::account, &job_desc_msg_t::account, refusable(StoreStep::place)},
    {&model::JobRequest::partition, &job_desc_msg_t::partition, refusable(StoreStep::place)},
    {&model::JobRequest::qos, &job_desc_msg_t::qos, refusable(StoreStep::place), max_text_length, max_qos},
    {&model::JobRequest::reservation, &job_desc_msg_t::reservation, stored(StoreStep::place)},
    {&model::JobRequest::comment, &job_desc_msg_t::comment, stored(StoreStep::notes)},
    {&model::JobRequest::admin_comment, &job_desc_msg_t::admin_comment, stored(StoreStep::notes),
     max_list_length, any_number, /*is_bounded=*/false},
    {&model::JobRequest::features, &job_desc_msg_t::features, refusable(StoreStep::features)},
    {&model::JobRequest::prefer, &job_desc_msg_t::prefer, refusable(StoreStep::prefer)},
    {&model::JobRequest::licenses, &job_desc_msg_t::licenses, if_pending(StoreStep::start),
     max_licenses_length, max_licenses, bounds_licenses},
    {&model::JobRequest::array, &job_desc_msg_t::array_inx, stored(StoreStep::notes), max_array_length},
    {&model::JobRequest::required_nodes, &job_desc_msg_t::req_nodes, stored(StoreStep::place),
     max_node_list_length, any_number, /*is_bounded=*/false},
    {&model::JobRequest::tres_per_job, &job_desc_msg_t::tres_per_job, refusable(StoreStep::gres),
     max_text_length, max_resources},
    {&model::JobRequest::tres_per_node, &job_desc_msg_t::tres_per_node, stored(StoreStep::gres),
     max_text_length, max_resources},
    {&model::JobRequest::tres_per_socket, &job_desc_msg_t::tres_per_socket, refusable(StoreStep::gres),
     max_text_length, max_resources},
    {&model::JobRequest::tres_per_task, &job_desc_msg_t::tres_per_task, refusable(StoreStep::gres),
     max_text_length, max_resources},
    {&model::JobRequest::memory_per_tres, &job_desc_msg_t::mem_per_tres, refusable(StoreStep::gres),
     max_text_length, max_resources},
    {&model::JobRequest::cpus_per_tres, &job_desc_msg_t::cpus_per_tres, refusable(StoreStep::gres),
     max_text_length, max_resources},
};

inline constexpr CountField<std::uint32_t> wide_count_fields[] = {
    {&model::JobRequest::min_nodes, &job_desc_msg_t::min_nodes, refusable(StoreStep::nodes), Zero::is_a_count,
     Infinite::is_a_count},
    {&model::JobRequest::max_nodes, &job_desc_msg_t::max_nodes, refusable(StoreStep::nodes),
     Zero::is_a_count},
    {&model::JobRequest::tasks, &job_desc_msg_t::num_tasks, refusable(StoreStep::tasks), Zero::is_a_count,
     Infinite::is_a_count},
    {&model::JobRequest::min_cpus, &job_desc_msg_t::min_cpus, refusable(StoreStep::cpus), Zero::is_a_count,
     Infinite::is_a_count},
    {&model::JobRequest::max_cpus, &job_desc_msg_t::max_cpus, refusable(StoreStep::cpus), Zero::is_a_count},
    {&model::JobRequest::priority, &job_desc_msg_t::priority, refusable(StoreStep::priority),
     Zero::is_a_count}, // 0 = held
};

inline constexpr CountField<std::uint16_t> narrow_count_fields[] = {
    {&model::JobRequest::cpus_per_task, &job_desc_msg_t::cpus_per_task, if_pending(StoreStep::cpus),
     Zero::is_unset, Infinite::is_a_count},
    {&model::JobRequest::tasks_per_node, &job_desc_msg_t::ntasks_per_node,
     refusable(StoreStep::tasks_per_node), Zero::is_unset, Infinite::is_a_count},
    {&model::JobRequest::tasks_per_socket, &job_desc_msg_t::ntasks_per_socket,
     refusable(StoreStep::tasks_per_socket), Zero::is_a_count},
    {&model::JobRequest::tasks_per_tres, &job_desc_msg_t::ntasks_per_tres, not_stored, Zero::is_unset,
     Infinite::is_a_count},
    {&model::JobRequest::sockets_per_node, &job_desc_msg_t::sockets_per_node, refusable(StoreStep::cores),
     Zero::is_unset, Infinite::is_a_count},
    {&model::JobRequest::min_cpus_per_node, &job_desc_msg_t::pn_min_cpus, if_pending(StoreStep::cpus),
     Zero::is_unset, Infinite::is_a_count},
};

inline constexpr TimeField time_fields[] = {
    {&model::JobRequest::time_limit, &job_desc_msg_t::time_limit, refusable(StoreStep::time_limit)},
    {&model::JobRequest::time_min, &job_desc_msg_t::time_min, refusable(StoreStep::time_min)},
};

// ---- details (model/job_details.hpp) -------------------------------------------------------------------

/// The maximum length of a text in rules. slurmctld takes a longer script and longer lists of nodes and
/// dependencies.
inline constexpr std::size_t max_detail_length = 64 * 1024;
inline constexpr std::size_t max_path_length = 4096; ///< for slurmctld

/// Where a detail of a changed job is read from.
enum class DetailOrigin : std::uint8_t {
    changeable, ///< the change, or the job if the change leaves it
    submission, ///< the job; a change cannot set it
};

struct TextDetail {
    model::JobDetail detail;
    char* job_desc_msg_t::*slurm;
    Stored stored; ///< at a change
    std::size_t max_bytes;
    DetailOrigin origin = DetailOrigin::changeable;
};

inline constexpr TextDetail text_details[] = {
    {model::JobDetail::burst_buffer, &job_desc_msg_t::burst_buffer, stored(StoreStep::notes), 8 * 1024},
    {model::JobDetail::container, &job_desc_msg_t::container, not_stored, max_path_length},
    {model::JobDetail::dependency, &job_desc_msg_t::dependency, refusable(StoreStep::dependency),
     max_detail_length},
    {model::JobDetail::excluded_nodes, &job_desc_msg_t::exc_nodes, stored(StoreStep::notes),
     max_detail_length},
    {model::JobDetail::extra, &job_desc_msg_t::extra, stored_if(changes_extra, stored(StoreStep::notes)),
     8 * 1024},
    {model::JobDetail::mail_user, &job_desc_msg_t::mail_user, refusable(StoreStep::last), 1024},
    {model::JobDetail::network, &job_desc_msg_t::network, refusable(StoreStep::last), 1024},
    {model::JobDetail::std_err, &job_desc_msg_t::std_err,
     stored_if(changes_std_err, if_pending(StoreStep::files)), max_path_length},
    {model::JobDetail::std_in, &job_desc_msg_t::std_in,
     stored_if(changes_std_err, if_pending(StoreStep::files)), max_path_length},
    {model::JobDetail::std_out, &job_desc_msg_t::std_out, if_pending(StoreStep::files), max_path_length},
    {model::JobDetail::submit_host, &job_desc_msg_t::alloc_node, stored(StoreStep::notes), 1024,
     DetailOrigin::submission},
    {model::JobDetail::wckey, &job_desc_msg_t::wckey, refusable(StoreStep::wckey), 1024},
    {model::JobDetail::work_dir, &job_desc_msg_t::work_dir, if_pending(StoreStep::files), max_path_length},
};

/// A switch or count of 16 bits: NO_VAL16 and INFINITE16 are unset.
struct ShortDetail {
    model::JobDetail detail;
    std::uint16_t job_desc_msg_t::*slurm;
    Stored stored; ///< at a change
    bool zero_is_unset;
    DetailOrigin origin = DetailOrigin::changeable;
};

inline constexpr ShortDetail short_details[] = {
    {model::JobDetail::contiguous, &job_desc_msg_t::contiguous, refusable(StoreStep::contiguous), true},
    {model::JobDetail::cores_per_socket, &job_desc_msg_t::cores_per_socket, refusable(StoreStep::cores),
     true},
    {model::JobDetail::mail_type, &job_desc_msg_t::mail_type, refusable(StoreStep::last), true},
    {model::JobDetail::reboot, &job_desc_msg_t::reboot, refusable(StoreStep::last), true},
    {model::JobDetail::requeue, &job_desc_msg_t::requeue, stored(StoreStep::deadline), false},
    {model::JobDetail::tasks_per_core, &job_desc_msg_t::ntasks_per_core, not_stored, true,
     DetailOrigin::submission},
    {model::JobDetail::threads_per_core, &job_desc_msg_t::threads_per_core, refusable(StoreStep::cores),
     true},
};

/// A count of 32 bits: NO_VAL, INFINITE and 0 are unset.
struct CountDetail {
    model::JobDetail detail;
    std::uint32_t job_desc_msg_t::*slurm;
    Stored stored; ///< at a change
};

inline constexpr CountDetail count_details[] = {
    {model::JobDetail::switches, &job_desc_msg_t::req_switch, stored(StoreStep::notes)},
    {model::JobDetail::switches_wait, &job_desc_msg_t::wait4switch, stored(StoreStep::notes)},
    {model::JobDetail::tmp_disk, &job_desc_msg_t::pn_min_tmp_disk, if_pending(StoreStep::memory)},
};

/// A time; 0 and NO_VAL are unset.
struct TimeDetail {
    model::JobDetail detail;
    std::time_t job_desc_msg_t::*slurm;
    Stored stored; ///< at a change
};

inline constexpr TimeDetail time_details[] = {
    {model::JobDetail::begin_time, &job_desc_msg_t::begin_time, if_pending(StoreStep::start)},
    {model::JobDetail::deadline, &job_desc_msg_t::deadline, refusable(StoreStep::deadline)},
};

/// A bit of job_desc_msg_t::bitflags. slurmctld stores no change of it.
struct BitDetail {
    model::JobDetail detail;
    std::uint64_t bit;
};

inline constexpr BitDetail bit_details[] = {
    {model::JobDetail::disable_binding, GRES_DISABLE_BIND},
    {model::JobDetail::enforce_binding, GRES_ENFORCE_BIND},
    {model::JobDetail::spread_job, SPREAD_JOB},
    {model::JobDetail::use_min_nodes, USE_MIN_NODES},
};

/// The words for job_desc_msg_t::shared, whose values are 0, 1, 2 …
inline constexpr std::array<std::string_view, 5> sharing_words{"no", "ok", "user", "mcs", "topo"};

} // namespace qg::slurm
