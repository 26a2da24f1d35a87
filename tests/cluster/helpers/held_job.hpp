// SPDX-License-Identifier: GPL-2.0-or-later
//
// A held job of the caller, for programs that submit straight through libslurm.
#pragma once

#include "qosgate/slurm/compat.hpp"

#include <string>

#include <unistd.h>

namespace qg::test {

/// What every submission needs, all else unset. Ownership: borrows the name.
inline job_desc_msg_t held_job(std::string& name) {
    static std::string script = "#!/bin/sh\ntrue\n";
    static std::string directory = "/";
    job_desc_msg_t job;
    slurm_init_job_desc_msg(&job);
    job.name = name.data();
    job.script = script.data();
    job.work_dir = directory.data();
    job.user_id = getuid();
    job.group_id = getgid();
    job.environment = environ;
    for (job.env_size = 0; environ[job.env_size] != nullptr;)
        ++job.env_size;
    job.priority = 0;
    return job;
}

} // namespace qg::test
