// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/slurm_names.hpp"

#include <algorithm>
#include <array>

namespace qg::policy {
namespace {

constexpr auto rows = std::to_array<SlurmName>({
    {"alloc_node", "job.submit_host"},
    {"argc", "#job.argv"},
    {"array_inx", "job.array"},
    {"default_account", "view.user.default_account"},
    {"environment", "job.env"},
    {"exc_nodes", "job.excluded_nodes"},
    {"gid", "view.user.groups"},
    {"gres", "job.gpu, or the text job.tres_per_node"},
    {"group_id", "view.user.groups"},
    {"het_job_offset", "job.het_offset"},
    {"min_cpus", "job.cpus"},
    {"min_mem_per_cpu", "job.memory_per_cpu"},
    {"min_mem_per_node", "job.memory_per_node"},
    {"ntasks_per_core", "job.tasks_per_core"},
    {"ntasks_per_node", "job.tasks_per_node"},
    {"ntasks_per_socket", "job.tasks_per_socket"},
    {"num_tasks", "job.tasks"},
    {"pack_job_offset", "job.het_offset"},
    {"pn_min_cpus", "job.mincpus"},
    {"pn_min_memory", "job.memory_per_node or job.memory_per_cpu"},
    {"pn_min_tmp_disk", "job.tmp_disk"},
    {"req_nodes", "job.nodelist"},
    {"shared", "job.exclusive or job.oversubscribe"},
    {"spank_job_env", "job.env"},
    {"user_id", "job.uid"},
    {"user_name", "job.user"},
});

} // namespace

std::span<const SlurmName> slurm_names() noexcept {
    return rows;
}

std::string_view find_instead(std::string_view name) noexcept {
    const auto found = std::ranges::find(rows, name, &SlurmName::name);
    return found == rows.end() ? std::string_view() : found->instead;
}

} // namespace qg::policy
