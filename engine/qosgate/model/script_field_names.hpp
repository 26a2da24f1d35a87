// SPDX-License-Identifier: GPL-2.0-or-later
//
// The fields that Slurm's plugin shows to scripts for job_submit/lua: of job_desc, of partitions, and of its
// records of jobs: of job_rec, the job before a change, and of the members of slurm.jobs.
// slurm/script_fields.hpp, slurm/script_records.cpp and slurm/script_jobs.cpp have their values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace qg::model {

constexpr std::size_t count_words(std::string_view words) noexcept {
    return 1 + static_cast<std::size_t>(std::ranges::count(words, ' '));
}

/// The words of a text with blanks between them.
template <std::size_t count>
constexpr std::array<std::string_view, count> words_of(std::string_view text) noexcept {
    std::array<std::string_view, count> words;
    for (std::string_view& word : words) {
        word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
    }
    return words;
}

/// The fields of job_desc in any release, sorted.
inline constexpr std::string_view job_desc_words =
    "account acctg_freq admin_comment alloc_node argc argv array_inx assoc_comment assoc_qos "
    "batch_features begin_time bitflags boards_per_node burst_buffer clusters comment container "
    "contiguous core_spec cores_per_socket cpu_freq_gov cpu_freq_max cpu_freq_min cpus_per_task "
    "cpus_per_tres cron_job default_account default_qos delay_boot dependency end_time environment "
    "exc_nodes extra features gres group_id het_job_offset immediate licenses mail_type mail_user "
    "max_cpus max_nodes mcs_label mem_per_tres min_cpus min_mem_per_cpu min_mem_per_node min_nodes name "
    "network nice ntasks_per_board ntasks_per_core ntasks_per_gpu ntasks_per_node ntasks_per_socket "
    "ntasks_per_tres num_tasks oversubscribe pack_job_offset partition pn_min_cpus pn_min_memory "
    "pn_min_tmp_disk power_flags prefer priority qos reboot req_context req_nodes req_switch requeue "
    "reservation script segment_size selinux_context shared site_factor sockets_per_board "
    "sockets_per_node spank_job_env spank_job_env_size std_err std_in std_out thread_spec "
    "threads_per_core time_limit time_min tres_bind tres_freq tres_per_job tres_per_node tres_per_socket "
    "tres_per_task user_id user_name wait4switch wckey work_dir";
inline constexpr auto job_desc_fields = words_of<count_words(job_desc_words)>(job_desc_words);

/// Those of the partitions in part_list, sorted.
inline constexpr std::string_view partition_words =
    "allow_accounts allow_alloc_nodes allow_groups allow_qos alternate billing_weights_str "
    "def_mem_per_cpu def_mem_per_node default_time deny_accounts deny_qos flag_default flags "
    "max_cpus_per_node max_cpus_per_socket max_mem_per_cpu max_mem_per_node max_nodes max_nodes_orig "
    "max_oversubscribe max_share max_time min_nodes min_nodes_orig name nodes priority_job_factor "
    "priority_tier qos state_up total_cpus total_nodes";
inline constexpr auto partition_record_fields = words_of<count_words(partition_words)>(partition_words);

static_assert(std::ranges::is_sorted(job_desc_fields) && std::ranges::is_sorted(partition_record_fields));

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
    std::array<RecordFieldFacts, count_words(copied) + count_words(listed) + count_words(withheld)> all;
    std::size_t at = 0;
    const auto add = [&](const auto& names, RecordField kind) {
        for (const std::string_view name : names)
            all[at++] = {name, kind};
    };
    add(words_of<count_words(copied)>(copied), RecordField::copied);
    add(words_of<count_words(listed)>(listed), RecordField::listed);
    add(words_of<count_words(withheld)>(withheld), RecordField::withheld);
    std::ranges::sort(all, {}, &RecordFieldFacts::name);
    return all;
}();

} // namespace qg::model
