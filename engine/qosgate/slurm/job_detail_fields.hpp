// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which detail of a job (model/job_details.hpp) corresponds to which field of job_desc_msg_t, to read and to
// write it.
#pragma once

#include "qosgate/model/job_details.hpp"

#include <slurm/slurm.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string_view>

namespace qg::slurm {

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
    std::size_t max_bytes;
    DetailOrigin origin = DetailOrigin::changeable;
};

inline constexpr TextDetail text_details[] = {
    {model::JobDetail::burst_buffer, &job_desc_msg_t::burst_buffer, 8 * 1024},
    {model::JobDetail::container, &job_desc_msg_t::container, max_path_length},
    {model::JobDetail::dependency, &job_desc_msg_t::dependency, max_detail_length},
    {model::JobDetail::excluded_nodes, &job_desc_msg_t::exc_nodes, max_detail_length},
    {model::JobDetail::extra, &job_desc_msg_t::extra, 8 * 1024},
    {model::JobDetail::mail_user, &job_desc_msg_t::mail_user, 1024},
    {model::JobDetail::network, &job_desc_msg_t::network, 1024},
    {model::JobDetail::std_err, &job_desc_msg_t::std_err, max_path_length},
    {model::JobDetail::std_in, &job_desc_msg_t::std_in, max_path_length},
    {model::JobDetail::std_out, &job_desc_msg_t::std_out, max_path_length},
    {model::JobDetail::submit_host, &job_desc_msg_t::alloc_node, 1024, DetailOrigin::submission},
    {model::JobDetail::wckey, &job_desc_msg_t::wckey, 1024},
    {model::JobDetail::work_dir, &job_desc_msg_t::work_dir, max_path_length},
};

/// A switch or count of 16 bits: NO_VAL16 and INFINITE16 are unset.
struct ShortDetail {
    model::JobDetail detail;
    std::uint16_t job_desc_msg_t::*slurm;
    bool zero_is_unset;
};

inline constexpr ShortDetail short_details[] = {
    {model::JobDetail::contiguous, &job_desc_msg_t::contiguous, true},
    {model::JobDetail::mail_type, &job_desc_msg_t::mail_type, true},
    {model::JobDetail::reboot, &job_desc_msg_t::reboot, true},
    {model::JobDetail::requeue, &job_desc_msg_t::requeue, false},
    {model::JobDetail::threads_per_core, &job_desc_msg_t::threads_per_core, true},
};

/// A count of 32 bits: NO_VAL, INFINITE and 0 are unset.
struct CountDetail {
    model::JobDetail detail;
    std::uint32_t job_desc_msg_t::*slurm;
};

inline constexpr CountDetail count_details[] = {
    {model::JobDetail::switches, &job_desc_msg_t::req_switch},
    {model::JobDetail::switches_wait, &job_desc_msg_t::wait4switch},
    {model::JobDetail::tmp_disk, &job_desc_msg_t::pn_min_tmp_disk},
};

/// A time; 0 and NO_VAL are unset.
struct TimeDetail {
    model::JobDetail detail;
    std::time_t job_desc_msg_t::*slurm;
};

inline constexpr TimeDetail time_details[] = {
    {model::JobDetail::begin_time, &job_desc_msg_t::begin_time},
    {model::JobDetail::deadline, &job_desc_msg_t::deadline},
};

/// A bit of job_desc_msg_t::bitflags.
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
