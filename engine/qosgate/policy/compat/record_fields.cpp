// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/record_fields.hpp"

#include "qosgate/policy/compat/script_findings.hpp"
#include "qosgate/policy/lua_tokens.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <vector>

namespace qg::policy::compat {
namespace {

struct Row {
    std::string_view name;
    RecordField kind;
};

constexpr Row rows[] = {
    {"account", RecordField::copied},
    {"admin_comment", RecordField::listed},
    {"alloc_node", RecordField::copied},
    {"argv", RecordField::copied},
    {"array_job_id", RecordField::listed},
    {"array_task_cnt", RecordField::withheld},
    {"array_task_id", RecordField::listed},
    {"batch_features", RecordField::listed},
    {"batch_host", RecordField::listed},
    {"best_switch", RecordField::withheld},
    {"burst_buffer", RecordField::listed},
    {"comment", RecordField::copied},
    {"container", RecordField::copied},
    {"cpus_per_tres", RecordField::copied},
    {"curr_dependency", RecordField::withheld},
    {"delay_boot", RecordField::listed},
    {"derived_ec", RecordField::listed},
    {"direct_set_prio", RecordField::withheld},
    {"end_time", RecordField::listed},
    {"exit_code", RecordField::listed},
    {"extra", RecordField::withheld},
    {"features", RecordField::copied},
    {"gres", RecordField::copied},
    {"gres_req", RecordField::listed},
    {"gres_used", RecordField::withheld},
    {"group_id", RecordField::copied},
    {"het_job_id", RecordField::listed},
    {"het_job_id_set", RecordField::listed},
    {"het_job_offset", RecordField::listed},
    {"job_id", RecordField::copied},
    {"job_state", RecordField::listed},
    {"licenses", RecordField::copied},
    {"max_cpus", RecordField::copied},
    {"max_nodes", RecordField::copied},
    {"mcs_label", RecordField::withheld},
    {"mem_per_tres", RecordField::copied},
    {"min_cpus", RecordField::copied},
    {"min_mem_per_cpu", RecordField::copied},
    {"min_mem_per_node", RecordField::copied},
    {"min_nodes", RecordField::copied},
    {"name", RecordField::copied},
    {"nice", RecordField::copied},
    {"nodes", RecordField::listed},
    {"orig_dependency", RecordField::withheld},
    {"origin_cluster", RecordField::copied},
    {"pack_job_id", RecordField::listed},
    {"pack_job_id_set", RecordField::listed},
    {"pack_job_offset", RecordField::listed},
    {"partition", RecordField::copied},
    {"pn_min_cpus", RecordField::copied},
    {"pn_min_memory", RecordField::copied},
    {"priority", RecordField::copied},
    {"qos", RecordField::copied},
    {"reboot", RecordField::listed},
    {"req_switch", RecordField::listed},
    {"resizing", RecordField::listed},
    {"restart_cnt", RecordField::copied},
    {"resv_name", RecordField::copied},
    {"script", RecordField::withheld},
    {"selinux_context", RecordField::withheld},
    {"site_factor", RecordField::listed},
    {"spank_job_env", RecordField::copied},
    {"spank_job_env_size", RecordField::copied},
    {"start_time", RecordField::listed},
    {"std_err", RecordField::copied},
    {"std_in", RecordField::copied},
    {"std_out", RecordField::copied},
    {"submit_time", RecordField::listed},
    {"time_limit", RecordField::copied},
    {"time_min", RecordField::copied},
    {"total_cpus", RecordField::listed},
    {"total_nodes", RecordField::listed},
    {"tres_alloc_str", RecordField::withheld},
    {"tres_bind", RecordField::copied},
    {"tres_fmt_alloc_str", RecordField::listed},
    {"tres_fmt_req_str", RecordField::listed},
    {"tres_freq", RecordField::copied},
    {"tres_per_job", RecordField::copied},
    {"tres_per_node", RecordField::copied},
    {"tres_per_socket", RecordField::copied},
    {"tres_per_task", RecordField::copied},
    {"tres_req_str", RecordField::withheld},
    {"user_id", RecordField::copied},
    {"user_name", RecordField::copied},
    {"wait4switch", RecordField::listed},
    {"wait4switch_start", RecordField::withheld},
    {"wckey", RecordField::copied},
    {"work_dir", RecordField::copied},
};
static_assert(std::ranges::is_sorted(rows, {}, &Row::name));

constexpr auto field_names = [] {
    std::array<std::string_view, std::size(rows)> result;
    std::ranges::transform(rows, result.begin(), &Row::name);
    return result;
}();

bool is_of_job_desc(std::string_view field) noexcept {
    return std::ranges::find(job_desc_fields(), field) != job_desc_fields().end();
}

/// Whether the token at `at` may be the name of a field of a record.
bool may_name_field(std::span<const Token> tokens, std::size_t at) noexcept {
    if (tokens[at].kind == TokenKind::text) return true;
    if (!tokens[at].is_name() || at < 2 || !tokens[at - 1].is(".")) return false;
    return !tokens[at - 2].is_name("job_desc") || !is_of_job_desc(tokens[at].text);
}

} // namespace

RecordField record_field(std::string_view name) noexcept {
    const auto* row = std::ranges::lower_bound(rows, name, {}, &Row::name);
    return row != std::end(rows) && row->name == name ? row->kind : RecordField::unknown;
}

std::span<const std::string_view> record_field_names() noexcept {
    return field_names;
}

void add_listed_fields(std::string_view source, std::set<std::string, std::less<>>& fields) {
    const std::vector<Token> tokens = read_tokens(source);
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (record_field(tokens[i].text) == RecordField::listed && may_name_field(tokens, i))
            fields.emplace(tokens[i].text);
}

} // namespace qg::policy::compat
