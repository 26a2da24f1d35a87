// SPDX-License-Identifier: GPL-2.0-or-later
//
// The few settings of slurm.conf that must be known before libslurm reads it. If the file is missing or
// wrong, libslurm ends the process or waits for a minute.
#pragma once

#include "qosgate/base/result.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace qg::slurmdb {

/// The place of Slurm's configuration, its slurmdbd, and the user as whom Slurm runs.
struct SlurmConf {
    std::filesystem::path path;
    std::string cluster_name;
    std::string accounting_storage_type;
    std::string accounting_storage_host = "localhost";
    std::string accounting_storage_port = "6819";
    std::string slurm_user = "root";
    std::string state_save_location = "/var/spool";
    std::string slurmctld_pid_file = "/var/run/slurmctld.pid";
    std::string plugin_dir;         ///< directories with colons between them; empty: Slurm's own
    std::string job_submit_plugins; ///< "lua,qosgate"
    std::string cli_filter_plugins; ///< likewise
    /// The names of the SlurmctldHost lines: the first is the primary's.
    std::vector<std::string> controllers;

    /// "slurmdbd at db1:6819", for messages.
    [[nodiscard]] std::string slurmdbd() const;
};

/// The file that libslurm will use: $SLURM_CONF, else /etc/slurm/slurm.conf, else what sackd or slurmd cached
/// in /run/slurm/conf.
/// Errors: unavailable, naming the places that were searched; permission_denied if it cannot be read.
Result<std::filesystem::path> find_slurm_conf();

/// The text of the file, with those of the files that it includes in the place of their Include lines.
/// Errors: unavailable, naming the file that is not readable.
Result<std::string> read_slurm_conf_text(const std::filesystem::path& path);

/// Reads the settings above from the file and the files that it includes.
/// Errors: unavailable, naming the file and line that is not readable.
Result<SlurmConf> load_slurm_conf(const std::filesystem::path& path);

} // namespace qg::slurmdb
