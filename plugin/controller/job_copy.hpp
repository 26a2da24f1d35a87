// SPDX-License-Identifier: GPL-2.0-or-later
//
// JobCopy: one of slurmctld's own job records, described in the public struct by a function of slurmctld.
#pragma once

#include "host/host_alloc.hpp"
#include "qosgate/slurm/host_symbols.hpp"

#include <memory>

namespace qg::plugin {

struct JobCopyDeleter {
    void operator()(job_desc_msg_t* copy) const noexcept {
        // In a copy, all environment variables share one block, which begins at the first variable.
        // slurm_free_job_desc_msg() expects one block per variable and would corrupt the heap. slurmctld
        // frees its own copies in the way used here.
        if (copy->environment != nullptr) {
            slurm_xfree(reinterpret_cast<void**>(&copy->environment[0]));
            slurm_xfree(reinterpret_cast<void**>(&copy->environment));
            copy->env_size = 0;
        }
        // Slurm 22.05 copies this text and does not free it.
        slurm_xfree(reinterpret_cast<void**>(&copy->prefer));
        slurm_free_job_desc_msg(copy);
    }
};
using JobCopy = std::unique_ptr<job_desc_msg_t, JobCopyDeleter>;

/// Copies job records, if slurmctld offers the function.
/// Threads: only within job_modify(), whose locks the records need.
class JobCopier {
  public:
    /// The job; null if slurmctld does not offer copies.
    /// Cost: slurmctld reads the job's script and environment from its state directory, and logs that a job
    /// of salloc or srun has no script.
    [[nodiscard]] JobCopy copy(job_record* job) const {
        return JobCopy(copy_ == nullptr ? nullptr : copy_(job));
    }

  private:
    decltype(slurm::host::copy_job_record.find()) copy_ = slurm::host::copy_job_record.find();
};

} // namespace qg::plugin
