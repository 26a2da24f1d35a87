// SPDX-License-Identifier: GPL-2.0-or-later
//
// slurm.conf, as slurmctld has it, as ClusterSettings.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/cluster_settings.hpp"

#include <slurm/slurm.h>

namespace qg::slurm {

/// Ownership: everything is copied.
model::ClusterSettings read_cluster_settings(const slurm_conf_t& conf);

/// Asks slurmctld. Errors: unavailable, with Slurm's error text. Cost: one RPC.
Result<model::ClusterSettings> load_cluster_settings();

} // namespace qg::slurm
