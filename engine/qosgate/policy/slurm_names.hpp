// SPDX-License-Identifier: GPL-2.0-or-later
//
// slurm_names: fields of a job for which Slurm and job_submit.lua have another name than rules.
// contrib/doc/job-submit-lua.md has the same rows.
#include <span>
#include <string_view>

namespace qg::policy {

/// One row.
struct SlurmName {
    std::string_view name;    ///< Slurm's
    std::string_view instead; ///< what to write: "job.excluded_nodes"
};

/// All of them, in order.
std::span<const SlurmName> slurm_names() noexcept;

/// What to write instead of a name of Slurm's; empty: it is none.
std::string_view find_instead(std::string_view name) noexcept;

} // namespace qg::policy
