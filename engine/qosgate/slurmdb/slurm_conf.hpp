// SPDX-License-Identifier: GPL-2.0-or-later
//
// The little of slurm.conf that must be known before libslurm reads it, because libslurm ends the process, or
// waits for a minute, where the file is missing or wrong.
#pragma once

#include "qosgate/base/result.hpp"

#include <filesystem>
#include <string>

namespace qg::slurmdb {

/// Where Slurm's configuration is, whom it names for accounting, and as whom Slurm runs.
struct SlurmConf {
    std::filesystem::path path;
    std::string accounting_storage_type;
    std::string accounting_storage_host = "localhost";
    std::string accounting_storage_port = "6819";
    std::string slurm_user = "root";
    std::string state_save_location = "/var/spool";
    std::string job_submit_plugins; ///< as written: "lua,qosgate"
    int controllers = 0;            ///< how many SlurmctldHost lines there are: the first is the primary's

    /// "slurmdbd at db1:6819", for messages.
    [[nodiscard]] std::string slurmdbd() const;
};

/// The file that libslurm will use: $SLURM_CONF, else /etc/slurm/slurm.conf, else what sackd or slurmd cached
/// in /run/slurm/conf.
/// Errors: unavailable, naming the places looked at; permission_denied where it cannot be read.
Result<std::filesystem::path> find_slurm_conf();

/// Reads the settings above from the file and the files that it includes.
/// Errors: unavailable, naming the file and line that is not readable.
Result<SlurmConf> load_slurm_conf(const std::filesystem::path& path);

} // namespace qg::slurmdb
