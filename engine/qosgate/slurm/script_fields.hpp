// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which name of a script for job_submit/lua belongs to which field of job_desc_msg_t. Scripts see a field's
// own number or text. Names whose value is not simply a field are in script/records_host.cpp.
#pragma once

#include "qosgate/slurm/compat.hpp"

#include <slurm/slurm.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <limits>
#include <string_view>
#include <type_traits>
#include <variant>

namespace qg::slurm {

using ScriptMember = std::variant<std::monostate, char * job_desc_msg_t::*, std::uint8_t job_desc_msg_t::*,
                                  std::uint16_t job_desc_msg_t::*, std::uint32_t job_desc_msg_t::*,
                                  std::uint64_t job_desc_msg_t::*, std::time_t job_desc_msg_t::*>;

/// What a script may do with a field.
enum class ScriptAccess : std::uint8_t { read_write, read, write };

struct ScriptField {
    std::string_view name;
    ScriptMember member; ///< monostate: this release has no such field
    ScriptAccess access = ScriptAccess::read_write;
};

/// power_flags, up to 23.11.
template <typename Job = job_desc_msg_t>
constexpr ScriptMember power_flags_member() {
    if constexpr (requires(Job & job) { job.power_flags; })
        return &Job::power_flags;
    else
        return {};
}

template <typename Job = job_desc_msg_t>
constexpr ScriptMember segment_size_member() {
    if constexpr (scripts_know_spec && requires(Job & job) { job.segment_size; })
        return &Job::segment_size;
    else
        return {};
}

inline constexpr ScriptField script_fields[] = {
    {"account", &job_desc_msg_t::account},
    {"acctg_freq", &job_desc_msg_t::acctg_freq},
    {"admin_comment", &job_desc_msg_t::admin_comment},
    {"alloc_node", &job_desc_msg_t::alloc_node, ScriptAccess::read},
    {"argc", &job_desc_msg_t::argc, ScriptAccess::read},
    {"array_inx", &job_desc_msg_t::array_inx},
    {"batch_features", &job_desc_msg_t::batch_features},
    {"begin_time", &job_desc_msg_t::begin_time},
    {"bitflags", &job_desc_msg_t::bitflags},
    {"boards_per_node", &job_desc_msg_t::boards_per_node, ScriptAccess::read},
    {"burst_buffer", &job_desc_msg_t::burst_buffer},
    {"clusters", &job_desc_msg_t::clusters},
    {"comment", &job_desc_msg_t::comment},
    {"container", &job_desc_msg_t::container},
    {"contiguous", &job_desc_msg_t::contiguous},
    {"cores_per_socket", &job_desc_msg_t::cores_per_socket},
    {"cpu_freq_gov", &job_desc_msg_t::cpu_freq_gov},
    {"cpu_freq_max", &job_desc_msg_t::cpu_freq_max},
    {"cpu_freq_min", &job_desc_msg_t::cpu_freq_min},
    {"cpus_per_task", &job_desc_msg_t::cpus_per_task},
    {"cpus_per_tres", &job_desc_msg_t::cpus_per_tres},
    {"delay_boot", &job_desc_msg_t::delay_boot},
    {"dependency", &job_desc_msg_t::dependency},
    {"end_time", &job_desc_msg_t::end_time},
    {"exc_nodes", &job_desc_msg_t::exc_nodes},
    {"extra", &job_desc_msg_t::extra},
    {"features", &job_desc_msg_t::features},
    {"group_id", &job_desc_msg_t::group_id, ScriptAccess::read},
    {"het_job_offset", &job_desc_msg_t::het_job_offset, ScriptAccess::read},
    {"immediate", &job_desc_msg_t::immediate},
    {"licenses", &job_desc_msg_t::licenses},
    {"mail_type", &job_desc_msg_t::mail_type},
    {"mail_user", &job_desc_msg_t::mail_user},
    {"max_cpus", &job_desc_msg_t::max_cpus},
    {"max_nodes", &job_desc_msg_t::max_nodes},
    {"mcs_label", scripts_know_mcs_label ? ScriptMember(&job_desc_msg_t::mcs_label) : ScriptMember()},
    {"mem_per_tres", &job_desc_msg_t::mem_per_tres},
    {"min_cpus", &job_desc_msg_t::min_cpus},
    {"min_nodes", &job_desc_msg_t::min_nodes},
    {"name", &job_desc_msg_t::name},
    {"network", &job_desc_msg_t::network, ScriptAccess::read},
    {"nice", &job_desc_msg_t::nice}, // with NICE_OFFSET in it
    {"ntasks_per_board", &job_desc_msg_t::ntasks_per_board, ScriptAccess::read},
    {"ntasks_per_core", &job_desc_msg_t::ntasks_per_core, ScriptAccess::read},
    {"ntasks_per_gpu", &job_desc_msg_t::ntasks_per_tres},
    {"ntasks_per_node", &job_desc_msg_t::ntasks_per_node},
    {"ntasks_per_socket", &job_desc_msg_t::ntasks_per_socket},
    {"ntasks_per_tres", &job_desc_msg_t::ntasks_per_tres},
    {"num_tasks", &job_desc_msg_t::num_tasks},
    {"oversubscribe", &job_desc_msg_t::shared},
    {"pack_job_offset", &job_desc_msg_t::het_job_offset, ScriptAccess::read},
    {"partition", &job_desc_msg_t::partition},
    {"pn_min_cpus", &job_desc_msg_t::pn_min_cpus},
    {"pn_min_memory", &job_desc_msg_t::pn_min_memory},
    {"pn_min_tmp_disk", &job_desc_msg_t::pn_min_tmp_disk},
    {"power_flags", power_flags_member()},
    {"prefer", &job_desc_msg_t::prefer},
    {"priority", &job_desc_msg_t::priority},
    {"qos", &job_desc_msg_t::qos},
    {"reboot", &job_desc_msg_t::reboot},
    {"req_context", &job_desc_msg_t::req_context, ScriptAccess::read},
    {"req_nodes", &job_desc_msg_t::req_nodes},
    {"req_switch", &job_desc_msg_t::req_switch},
    {"requeue", &job_desc_msg_t::requeue},
    {"reservation", &job_desc_msg_t::reservation},
    {"script", &job_desc_msg_t::script},
    {"segment_size", segment_size_member()},
    {"selinux_context", &job_desc_msg_t::selinux_context,
     scripts_read_selinux ? ScriptAccess::read_write : ScriptAccess::write},
    {"shared", &job_desc_msg_t::shared},
    {"sockets_per_board", &job_desc_msg_t::sockets_per_board, ScriptAccess::read},
    {"sockets_per_node", &job_desc_msg_t::sockets_per_node},
    {"spank_job_env_size", &job_desc_msg_t::spank_job_env_size, ScriptAccess::read},
    {"std_err", &job_desc_msg_t::std_err},
    {"std_in", &job_desc_msg_t::std_in},
    {"std_out", &job_desc_msg_t::std_out},
    {"threads_per_core", &job_desc_msg_t::threads_per_core},
    {"time_limit", &job_desc_msg_t::time_limit},
    {"time_min", &job_desc_msg_t::time_min},
    {"tres_bind", &job_desc_msg_t::tres_bind},
    {"tres_freq", &job_desc_msg_t::tres_freq},
    {"tres_per_job", &job_desc_msg_t::tres_per_job},
    {"tres_per_node", &job_desc_msg_t::tres_per_node},
    {"tres_per_socket", &job_desc_msg_t::tres_per_socket},
    {"tres_per_task", &job_desc_msg_t::tres_per_task},
    {"user_id", &job_desc_msg_t::user_id, ScriptAccess::read},
    {"wait4switch", &job_desc_msg_t::wait4switch},
    {"wckey", &job_desc_msg_t::wckey},
    {"work_dir", &job_desc_msg_t::work_dir},
};

static_assert(std::ranges::is_sorted(script_fields, {}, &ScriptField::name));

/// The row of a name; null: there is none, or this release does not have the field.
inline const ScriptField* find_script_field(std::string_view name) noexcept {
    const auto* row = std::ranges::lower_bound(script_fields, name, {}, &ScriptField::name);
    const bool is_found = row != std::end(script_fields) && row->name == name;
    return is_found && !std::holds_alternative<std::monostate>(row->member) ? row : nullptr;
}

/// A number of Lua in an unsigned field, as the casts of Slurm's plugin give it on x86-64: its whole part,
/// modulo the width of the field; numbers that do not fit the register are 0.
template <typename Int>
constexpr Int to_field(double number) noexcept {
    static_assert(std::is_integral_v<Int>);
    using Wide = std::conditional_t<(sizeof(Int) < sizeof(std::uint32_t)), std::int32_t, std::int64_t>;
    constexpr double limit = sizeof(Wide) == 4 ? 0x1p31 : 0x1p63;
    if constexpr (std::is_same_v<Int, std::uint64_t>)
        if (number >= limit) return number < 2 * limit ? static_cast<Int>(number) : Int{0};
    // The lowest number of the register; its lower half, all that narrow fields get, is 0.
    if (!(number >= -limit && number < limit)) return static_cast<Int>(std::numeric_limits<Wide>::min());
    return static_cast<Int>(static_cast<Wide>(number));
}

} // namespace qg::slurm
