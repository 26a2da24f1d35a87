// SPDX-License-Identifier: GPL-2.0-or-later
//
// The jobs and partitions of slurmctld, for those who change QOSs that these use.
#pragma once

#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurmdb/connection.hpp"

#include <string>
#include <string_view>

namespace qg::slurmdb {

/// The jobs and partitions of the cluster that slurm.conf names, or why there are none.
struct ControllerState {
    slurm::OwnedJobs jobs;             ///< null after a failure
    slurm::OwnedPartitions partitions; ///< null after a failure
    std::string failure;               ///< empty: there was none

    /// Asks slurmctld, no longer than the session's time limit.
    static ControllerState load(const Session& session);
};

/// Whether a list of names that commas separate has this one. A null list has none.
bool names_qos(const char* list, std::string_view name);

/// Whether the job has ended and left its nodes.
bool is_over(const slurm_job_info_t& job);

} // namespace qg::slurmdb
