// SPDX-License-Identifier: GPL-2.0-or-later
//
// Records of slurmctld as scripts for job_submit/lua see them, with the names and numbers of Slurm's plugin.
#pragma once

#include "qosgate/model/script_value.hpp"

#include <slurm/slurm.h>

namespace qg::slurm {

/// part_list: all partitions, whoever may use them.
model::ScriptRecords read_script_partitions(const partition_info_msg_t& partitions);

/// slurm.reservations: all reservations.
model::ScriptRecords read_script_reservations(const reserve_info_msg_t& reservations);

} // namespace qg::slurm
