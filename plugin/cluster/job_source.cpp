// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where JobSnapshot gets the jobs of slurmctld from.
#include "cluster/job_snapshot.hpp"

#include "qosgate/slurm/host_symbols.hpp"

#include <utility>

namespace qg::plugin {
namespace {

/// The list has a lock of its own, and stays as long as slurmctld runs.
std::optional<std::size_t> count_jobs() {
    static const auto* jobs = slurm::host::job_list.find();
    if (jobs == nullptr || *jobs == nullptr) return std::nullopt;
    return static_cast<std::size_t>(slurm_list_count(*jobs));
}

} // namespace

JobSnapshotOptions options_in_slurmctld(std::function<bool()> is_served) {
    return {.is_served = std::move(is_served),
            .count = &count_jobs,
            .load = [](const slurm::MentionedNames& names, std::time_t& newer_than) {
                return slurm::load_script_jobs(names, newer_than);
            }};
}

} // namespace qg::plugin
