// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which detail of a job (model/job_details.hpp) corresponds to which field of job_desc_msg_t, to read and to
// write it.
#pragma once

#include "qosgate/model/job_details.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/store_step.hpp"

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
