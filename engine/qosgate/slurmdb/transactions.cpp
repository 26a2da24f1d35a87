// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/transactions.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace qg::slurmdb {
namespace {

struct Column {
    std::string_view field;
    std::string_view name;
};

/// Those of qos_table in slurmdbd's database, the same in all releases.
constexpr std::array columns{
    Column{"Description", "description"},
    Column{"Priority", "priority"},
    Column{"MaxWall", "max_wall_duration_per_job"},
    Column{"MaxTRESPerJob", "max_tres_pj"},
    Column{"MaxTRESPerNode", "max_tres_pn"},
    Column{"MaxTRESPerUser", "max_tres_pu"},
    Column{"MaxTRESPerAccount", "max_tres_pa"},
    Column{"MaxTRESMinsPerJob", "max_tres_mins_pj"},
    Column{"MaxTRESRunMinsPerUser", "max_tres_run_mins_pu"},
    Column{"MaxTRESRunMinsPerAccount", "max_tres_run_mins_pa"},
    Column{"MaxJobsPerUser", "max_jobs_per_user"},
    Column{"MaxJobsPerAccount", "max_jobs_pa"},
    Column{"MaxSubmitJobsPerUser", "max_submit_jobs_per_user"},
    Column{"MaxSubmitJobsPerAccount", "max_submit_jobs_pa"},
    Column{"MaxJobsAccruePerUser", "max_jobs_accrue_pu"},
    Column{"MaxJobsAccruePerAccount", "max_jobs_accrue_pa"},
    Column{"MinTRESPerJob", "min_tres_pj"},
    Column{"MinPrioThreshold", "min_prio_thresh"},
    Column{"GrpTRES", "grp_tres"},
    Column{"GrpTRESMins", "grp_tres_mins"},
    Column{"GrpTRESRunMins", "grp_tres_run_mins"},
    Column{"GrpJobs", "grp_jobs"},
    Column{"GrpSubmitJobs", "grp_submit_jobs"},
    Column{"GrpJobsAccrue", "grp_jobs_accrue"},
    Column{"GrpWall", "grp_wall"},
    Column{"Flags", "flags"},
    Column{"UsageFactor", "usage_factor"},
    Column{"UsageThreshold", "usage_thres"},
    Column{"LimitFactor", "limit_factor"},
    Column{"Preempt", "preempt"},
    Column{"PreemptMode", "preempt_mode"},
    Column{"PreemptExemptTime", "preempt_exempt_time"},
    Column{"GraceTime", "grace_time"},
};

/// DBD_REMOVE_QOS of slurmdbd's protocol, the same in all releases.
constexpr int remove_qos_action = 1450;

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether a text assigns to the column: "max_tres_pj=" is no part of "max_tres_mins_pj=".
bool sets_column(std::string_view text, std::string_view column) {
    for (std::size_t at = text.find(column); at != text.npos; at = text.find(column, at + 1)) {
        const std::size_t end = at + column.size();
        const bool is_begin = at == 0 || !is_letter(text[at - 1]);
        if (is_begin && end < text.size() && (text[end] == '=' || text[end] == ' ')) return true;
    }
    return false;
}

/// Whether the entry is about the QOS.
bool names_qos(std::string_view where, std::string_view qos) {
    if (where == qos) return true;
    const std::string quoted = text::format("'{}'", qos);
    return where.find("name=" + quoted) != where.npos || where == quoted;
}

} // namespace

std::string_view column_of(std::string_view field) {
    const auto found = std::ranges::find(columns, field, &Column::field);
    return found == columns.end() ? std::string_view() : found->name;
}

Result<std::vector<LoggedChange>> read_log(Connection& connection, std::time_t since) {
    slurmdb_txn_cond_t condition{};
    condition.time_start = since;
    const auto list = connection.ask("read the log of transactions",
                                     [&](void* handle) { return slurmdb_txn_get(handle, &condition); });
    if (!list) return list.error();
    const auto part = [](const char* text) { return std::string(text == nullptr ? "" : text); };
    std::vector<LoggedChange> log;
    slurm::for_each<slurmdb_txn_rec_t>(list->get(), [&](const slurmdb_txn_rec_t& record) {
        log.push_back({.time = record.timestamp,
                       .actor = part(record.actor_name),
                       .where = part(record.where_query),
                       .set = part(record.set_info),
                       .is_qos_removal = record.action == remove_qos_action});
    });
    std::ranges::stable_sort(log, {}, &LoggedChange::time);
    return log;
}

const LoggedChange* find_change(std::span<const LoggedChange> log, std::string_view qos,
                                std::string_view field) {
    const std::string_view column = column_of(field);
    for (auto entry = log.rbegin(); entry != log.rend(); ++entry)
        if (names_qos(entry->where, qos) && (column.empty() || sets_column(entry->set, column)))
            return &*entry;
    return nullptr;
}

const LoggedChange* find_removal(std::span<const LoggedChange> log, std::string_view qos) {
    const LoggedChange* found = nullptr;
    for (auto entry = log.rbegin(); entry != log.rend(); ++entry) {
        if (names_qos(entry->where, qos)) return found;
        if (!entry->is_qos_removal) continue;
        // slurmdbd writes one entry for each cluster.
        const bool is_other =
            found != nullptr &&
            (found->where != entry->where || found->actor != entry->actor || found->time != entry->time);
        if (is_other) return nullptr;
        found = &*entry;
    }
    return nullptr; // it was removed, perhaps, before the log begins
}

} // namespace qg::slurmdb
