// SPDX-License-Identifier: GPL-2.0-or-later
//
// slurm.conf as this slurmctld has read it. Slurm exports its configuration. The public headers declare the
// struct, but not the variable.
#pragma once

#include <slurm/slurm.h>

#include <dlfcn.h>

namespace qg::plugin {

/// The configuration, or null in a process that has none. slurmctld reads it before it loads plugins.
/// Ownership: slurmctld's. Threads: a reconfigure replaces texts, under slurmctld's lock on its
/// configuration. init() and job_submit() run under this lock; threads of the plugin do not.
inline const slurm_conf_t* host_conf() noexcept {
    return static_cast<const slurm_conf_t*>(dlsym(RTLD_DEFAULT, "slurm_conf"));
}

} // namespace qg::plugin
