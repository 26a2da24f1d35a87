// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/transactions.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_fields.hpp"

#include <algorithm>

namespace qg::slurmdb {
namespace {

/// DBD_REMOVE_QOS of slurmdbd's protocol, the same in all releases.
constexpr int remove_qos_action = 1450;

bool is_letter(char c) {
    return text::is_letter(c) || text::is_digit(c) || c == '_';
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
    std::string_view column;
    if (!field.empty()) {
        const auto known = model::get_qos_field(field);
        if (!known) return nullptr;
        column = known->field->places.column;
    }
    for (auto entry = log.rbegin(); entry != log.rend(); ++entry)
        if (names_qos(entry->where, qos) && (field.empty() || sets_column(entry->set, column)))
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
