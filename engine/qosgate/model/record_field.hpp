// SPDX-License-Identifier: GPL-2.0-or-later
//
// The fields that Slurm's plugin shows of its records of jobs: of job_rec, the job before a change, and of
// the members of slurm.jobs. slurm/script_jobs.cpp has those that slurmctld tells of all jobs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace qg::model {

/// Where a field of job_rec comes from.
enum class RecordField : std::uint8_t {
    unknown,  ///< always nil
    copied,   ///< from slurmctld's copy of the job, at this moment
    listed,   ///< from the jobs that were read in the background, as slurm.jobs
    withheld, ///< Slurm's plugin shows it, and nothing tells it here: an error
};

struct RecordFieldFacts {
    std::string_view name;
    RecordField kind = RecordField::unknown;
};

/// All of them, sorted by name.
inline constexpr auto record_fields = [] {
    constexpr std::string_view copied =
        "account alloc_node argv comment container cpus_per_tres features gres group_id job_id licenses "
        "max_cpus max_nodes mem_per_tres min_cpus min_mem_per_cpu min_mem_per_node min_nodes name nice "
        "origin_cluster partition pn_min_cpus pn_min_memory priority qos restart_cnt resv_name "
        "spank_job_env spank_job_env_size std_err std_in std_out time_limit time_min tres_bind tres_freq "
        "tres_per_job tres_per_node tres_per_socket tres_per_task user_id user_name wckey work_dir";
    constexpr std::string_view listed =
        "admin_comment array_job_id array_task_id batch_features batch_host burst_buffer delay_boot "
        "derived_ec end_time exit_code gres_req het_job_id het_job_id_set het_job_offset job_state nodes "
        "pack_job_id pack_job_id_set pack_job_offset reboot req_switch resizing site_factor start_time "
        "submit_time total_cpus total_nodes tres_fmt_alloc_str tres_fmt_req_str wait4switch";
    constexpr std::string_view withheld =
        "array_task_cnt best_switch curr_dependency direct_set_prio extra gres_used mcs_label "
        "orig_dependency script selinux_context tres_alloc_str tres_req_str wait4switch_start";
    constexpr auto count = [](std::string_view names) { return 1 + std::ranges::count(names, ' '); };
    std::array<RecordFieldFacts, count(copied) + count(listed) + count(withheld)> all;
    std::size_t at = 0;
    const auto add = [&](std::string_view names, RecordField kind) {
        while (!names.empty()) {
            const std::string_view name = names.substr(0, names.find(' '));
            all[at++] = {name, kind};
            names.remove_prefix(std::min(name.size() + 1, names.size()));
        }
    };
    add(copied, RecordField::copied);
    add(listed, RecordField::listed);
    add(withheld, RecordField::withheld);
    std::ranges::sort(all, {}, &RecordFieldFacts::name);
    return all;
}();

} // namespace qg::model
