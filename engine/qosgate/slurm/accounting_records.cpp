// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/accounting_records.hpp"

#include "qosgate/base/unrolled.hpp"
#include "qosgate/model/limit_facts.hpp"
#include "qosgate/model/qos_flags.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/limit_rows.hpp"
#include "qosgate/slurm/usage_view.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <utility>

namespace qg::slurm {
namespace {

using model::LimitFacts;
using model::LimitMeasure;
using model::limits_where;
using model::LimitSet;

template <typename Record, std::size_t N>
void read_rows(model::Limits& limits, const Record& record, const rows::TresRow<Record> (&table)[N],
               bool is_users = true) {
    for (const auto& row : table) {
        // Few limits are set, and the values are elsewhere in memory: without a text they are not read.
        if ((row.of_users_alone && !is_users) || !is_set(record.*row.text)) continue;
        const std::uint64_t* values = record.*row.values;
        for (std::size_t tres = 0; values != nullptr && tres < limits.tres_count(); ++tres)
            if (is_count(values[tres])) limits.set(row.limit, tres, values[tres]);
    }
}

template <typename Record, std::size_t N>
void read_rows(model::Limits& limits, const Record& record, const rows::CountRow<Record> (&table)[N],
               bool is_users = true) {
    for (const auto& row : table)
        if (const auto value = read_count(record.*row.value); value && (!row.of_users_alone || is_users))
            limits.set(row.limit, *value);
}

/// `value_of(TRES index)` for each TRES; empty (all 0) if the array that it reads is null.
template <typename Int, typename ValueOf>
model::TresCounts read_counts(const Int* values, std::size_t count, ValueOf value_of) {
    if (values == nullptr) return {};
    model::TresCounts counts(count);
    for (std::size_t tres = 0; tres < count; ++tres)
        counts[tres] = value_of(tres);
    return counts;
}

// The limits that are compared with the TRES of running jobs (in either form), and those compared with past
// usage.
constexpr LimitSet tres_in_use = limits_where(
    [](const LimitFacts& facts) { return facts.counts_others() && facts.measure == LimitMeasure::tres; });
constexpr LimitSet run_minutes = limits_where(
    [](const LimitFacts& facts) { return facts.counts_others() && facts.counts_tres_minutes(); });
constexpr LimitSet minutes_used = limits_where(
    [](const LimitFacts& facts) { return facts.counts_the_past() && facts.counts_tres_minutes(); });

/// `against` says which arrays will be read.
model::Usage copy_usage(const UsageView& used, std::size_t tres_count, LimitSet against) {
    const std::size_t count = std::min(used.tres_count, tres_count);
    model::Usage result;
    result.jobs = used.jobs;
    result.submit_jobs = used.submit_jobs;
    result.wall_minutes = used.wall_minutes();
    if (against.intersects(tres_in_use))
        result.tres = read_counts(used.tres, count, [&](std::size_t tres) { return used.running(tres); });
    if (against.intersects(run_minutes))
        result.tres_run_minutes =
            read_counts(used.tres_run, count, [&](std::size_t tres) { return used.run_minutes(tres); });
    if (against.intersects(minutes_used))
        result.tres_minutes = read_counts(used.decayed_seconds, count,
                                          [&](std::size_t tres) { return used.past_minutes(tres); });
    return result;
}

quota::AdminLevel read_admin_level(std::uint16_t level) noexcept {
    if (level >= SLURMDB_ADMIN_SUPER_USER) return quota::AdminLevel::administrator;
    return level >= SLURMDB_ADMIN_OPERATOR ? quota::AdminLevel::operators : quota::AdminLevel::none;
}

} // namespace

model::Usage read_usage(const slurmdb_qos_usage_t& usage, std::size_t tres_count, LimitSet against) {
    return copy_usage(view_usage(usage), tres_count, against);
}

model::Usage read_usage(const slurmdb_assoc_usage_t& usage, std::size_t tres_count, LimitSet against) {
    return copy_usage(view_usage(usage), tres_count, against);
}

model::Usage read_usage(const slurmdb_used_limits_t& usage, std::size_t tres_count, LimitSet against) {
    return copy_usage(view_usage(usage, tres_count), tres_count, against);
}

const slurmdb_used_limits_t* usage_of_user(const slurmdb_qos_usage_t& usage, std::uint32_t user_id) {
    return find_first<slurmdb_used_limits_t>(
        usage.user_limit_list,
        [user_id](const slurmdb_used_limits_t& used) noexcept { return used.uid == user_id; });
}

const slurmdb_used_limits_t* usage_of_account(const slurmdb_qos_usage_t& usage, std::string_view account) {
    return find_first<slurmdb_used_limits_t>(
        usage.acct_limit_list,
        [account](const slurmdb_used_limits_t& used) noexcept { return view_text(used.acct) == account; });
}

model::QosFlags read_qos_flags(std::uint32_t flags) noexcept {
    model::QosFlags result;
    for_each_index<model::qos_flag_facts.size()>([&]<std::size_t i>() {
        constexpr model::QosFlagFacts facts = model::qos_flag_facts[i];
        if constexpr (facts.member != nullptr) result.*facts.member = (flags & facts.bit) != 0;
    });
    return result;
}

model::Qos read_qos(const slurmdb_qos_rec_t& qos, std::size_t tres_count, LimitSet also_against) {
    model::Qos result;
    result.id = qos.id;
    result.name = view_text(qos.name);
    result.priority = qos.priority;
    result.flags = read_qos_flags(qos.flags);
    result.usage_factor = read_factor(qos.usage_factor).value_or(1.0);
    result.limit_factor = read_factor(qos.limit_factor);
    result.limits = model::Limits(tres_count);
    read_rows(result.limits, qos, rows::qos_tres);
    read_rows(result.limits, qos, rows::qos_count);
    const LimitSet against = result.limits.which() + also_against;
    if (qos.usage != nullptr && !against.is_empty())
        result.usage = read_usage(*qos.usage, tres_count, against);
    return result;
}

model::Association read_association_names(const slurmdb_assoc_rec_t& association) {
    model::Association result;
    result.account = view_text(association.acct);
    result.user = view_text(association.user);
    result.partition = view_text(association.partition);
    const bool has_parent = association.usage != nullptr && association.usage->parent_assoc_ptr != nullptr;
    if (!result.user.empty())
        result.level = model::AssociationLevel::user;
    else
        result.level = has_parent ? model::AssociationLevel::account : model::AssociationLevel::root;
    return result;
}

model::Association read_association(const slurmdb_assoc_rec_t& association, std::size_t tres_count,
                                    LimitSet also_against) {
    model::Association result = read_association_names(association);
    result.limits = model::Limits(tres_count);
    const bool is_users = result.level == model::AssociationLevel::user;
    read_rows(result.limits, association, rows::assoc_tres, is_users);
    read_rows(result.limits, association, rows::assoc_count, is_users);
    const LimitSet against = result.limits.which() + also_against;
    if (association.usage != nullptr && !against.is_empty())
        result.usage = read_usage(*association.usage, tres_count, against);
    return result;
}

quota::UserRecord read_user(const slurmdb_user_rec_t& user) {
    quota::UserRecord row;
    row.id = user.uid;
    row.name = view_text(user.name);
    row.default_account = view_text(user.default_acct);
    row.level = read_admin_level(user.admin_level);
    for_each<slurmdb_coord_rec_t>(user.coord_accts, [&](const slurmdb_coord_rec_t& account) {
        if (row.coordinates.size() < quota::UserRecord::max_coordinates)
            row.coordinates.emplace_back(view_text(account.name));
        else
            row.coordinates_more = true;
    });
    return row;
}

model::PrivateData read_private_data(std::uint16_t bits) noexcept {
    constexpr std::uint16_t of_accounts = PRIVATE_DATA_USERS | PRIVATE_DATA_ACCOUNTS;
    return {.accounts = (bits & of_accounts) != 0,
            .usage = (bits & PRIVATE_DATA_USAGE) != 0,
            .partitions = (bits & PRIVATE_DATA_PARTITIONS) != 0,
            .reservations = (bits & PRIVATE_DATA_RESERVATIONS) != 0,
            .nodes = (bits & PRIVATE_DATA_NODES) != 0};
}

model::Enforce read_enforce(std::uint16_t bits) noexcept {
    model::Enforce enforce;
    enforce.safe = (bits & enforce_safe) != 0;
    enforce.limits = (bits & enforce_limits) != 0 || enforce.safe;
    enforce.qos = (bits & enforce_qos) != 0;
    enforce.associations = (bits & enforce_associations) != 0 || enforce.limits || enforce.qos;
    return enforce;
}

} // namespace qg::slurm
