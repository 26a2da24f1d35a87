// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether slurmctld has loaded the plugin: what slurm.conf, PluginDir and the processes of this host say.
#pragma once

#include "report/status_finding.hpp"

#include "qosgate/slurmdb/slurm_conf.hpp"

#include <string>
#include <string_view>

namespace qg::cli {

inline constexpr std::string_view plugin_file = "job_submit_qosgate.so";

/// Why slurm.conf does not load the plugin.
std::string describe_missing_name(const slurmdb::SlurmConf& conf);

/// The directories where slurmctld looks for the plugin, if its file is in none of them; empty: it is there,
/// or that is not known.
std::string find_missing_file(const slurmdb::SlurmConf& conf);

/// Why a report is not written, as far as it is seen, and what to do.
std::string describe_unwritten(const slurmdb::SlurmConf& conf);

/// The plugin's report, which a slurmctld that has just started is given some seconds to write.
Result<GateReport> read_report(const slurmdb::SlurmConf& conf);

/// Judges a report that no running slurmctld has written.
void judge_not_loaded(StatusFinding& finding, const slurmdb::SlurmConf& conf);

} // namespace qg::cli
