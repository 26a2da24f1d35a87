// SPDX-License-Identifier: GPL-2.0-or-later
//
// slurm.conf as this slurmctld has read it.
#pragma once

#include "qosgate/slurm/host_symbols.hpp"
#include "qosgate/slurm/values.hpp"

#include <filesystem>
#include <string_view>

#include <slurm/slurm.h>
#include <unistd.h>

namespace qg::plugin {

/// The configuration, or null in a process that has none. slurmctld reads it before it loads plugins.
/// Ownership: slurmctld's. Threads: a reconfigure replaces texts, under slurmctld's lock on its
/// configuration. init() and job_submit() run under this lock; threads of the plugin do not.
inline const slurm_conf_t* host_conf() noexcept {
    return slurm::host::slurm_conf.find();
}

/// The directory of rules beside a slurm.conf; empty for an empty path.
inline std::filesystem::path rules_beside(std::string_view slurm_conf) {
    if (slurm_conf.empty()) return {};
    return std::filesystem::path(slurm_conf).parent_path() / "qosgate.d";
}

/// Who, besides root, may own files that say what a client does: SlurmUser, but not for root itself, who uses
/// the clients, too.
inline uid_t trusted_owner(const slurm_conf_t& conf) noexcept {
    return geteuid() == 0 ? 0 : conf.slurm_user_id;
}

/// A file in slurmctld's state directory, which a backup controller shares; empty if the directory is not
/// known.
inline std::filesystem::path state_file(std::string_view name) {
    const slurm_conf_t* conf = host_conf();
    const std::filesystem::path directory =
        conf == nullptr ? std::string_view() : slurm::view_text(conf->state_save_location);
    return directory.is_absolute() ? directory / name : std::filesystem::path();
}

} // namespace qg::plugin
