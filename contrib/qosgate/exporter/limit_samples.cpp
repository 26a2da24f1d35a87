// SPDX-License-Identifier: GPL-2.0-or-later
#include "limit_samples.hpp"

#include "qosgate/limits/binding.hpp"
#include "qosgate/model/limit_facts.hpp"
#include "qosgate/report/qos_usage.hpp"

#include <algorithm>

namespace qg::cli {
namespace {

using limits::SetLimit;
using model::LimitFacts;
using model::LimitMeasure;
using model::LimitScope;

/// Of each account and user of a QOS, slurmctld counts what runs and what is submitted, not the past.
bool is_kept_for_holders(const LimitFacts& facts) {
    return facts.counts_others() && !facts.counts_the_past();
}

template <typename Key, typename Holders>
std::vector<std::pair<Key, std::uint64_t>> find_amounts(const Holders& holders, const LimitRow& row,
                                                        std::optional<std::size_t> tres) {
    std::vector<std::pair<Key, std::uint64_t>> found;
    for (const auto& [key, usage] : holders)
        if (const std::uint64_t used = limits::used_against(row.facts->limit, tres, usage); used > 0)
            found.emplace_back(key, used);
    std::ranges::stable_sort(found, std::ranges::greater(), &std::pair<Key, std::uint64_t>::second);
    return found;
}

template <typename Amounts>
std::uint64_t most_of(const Amounts& amounts) {
    return amounts.empty() ? 0 : amounts.front().second;
}

LimitRow fill_in_qos(SetLimit set, std::optional<std::size_t> tres, const quota::LocalQos& qos,
                     limits::Release release) {
    LimitRow row{std::move(set), qos.qos.name};
    const LimitFacts& facts = *row.facts;
    if (!report::is_counted(facts, release)) return row;
    if (is_kept_for_holders(facts)) {
        row.accounts = find_amounts<std::string>(qos.accounts, row, tres);
        row.users = find_amounts<std::uint32_t>(qos.users, row, tres);
    }
    switch (facts.scope) {
    case LimitScope::group: row.used = limits::used_against(facts.limit, tres, qos.qos.usage); break;
    case LimitScope::user:
        row.used = most_of(row.users);
        row.accounts.clear();
        break;
    case LimitScope::account:
        row.used = most_of(row.accounts);
        row.users.clear();
        break;
    case LimitScope::job:
    case LimitScope::node: break;
    }
    return row;
}

} // namespace

double LimitRow::unit() const noexcept {
    constexpr double seconds_per_minute = 60;
    switch (facts->measure) {
    case LimitMeasure::tres: return tres_unit(tres);
    case LimitMeasure::tres_minutes:
    case LimitMeasure::tres_run_minutes: return tres_unit(tres) * seconds_per_minute;
    case LimitMeasure::wall: return seconds_per_minute;
    case LimitMeasure::running_jobs:
    case LimitMeasure::submitted_jobs: break;
    }
    return 1;
}

double tres_unit(std::string_view tres) noexcept {
    constexpr double bytes_per_mib = 1024 * 1024;
    return tres == "mem" || tres == "vmem" ? bytes_per_mib : 1;
}

std::string_view counts_of(const LimitFacts& facts) noexcept {
    switch (facts.scope) {
    case LimitScope::job: return "job";
    case LimitScope::node: return "node";
    case LimitScope::user: return "user";
    case LimitScope::account: return "account";
    case LimitScope::group: break;
    }
    return "all";
}

std::vector<LimitRow> find_qos_rows(const quota::LocalRecords& records, limits::Release release) {
    std::vector<LimitRow> rows;
    for (const quota::LocalQos& qos : records.qos)
        for (SetLimit& set : limits::find_set_limits(qos.qos.limits, *records.tres))
            if (set.facts->is_of_qos()) {
                const auto tres = records.tres->find(set.tres);
                rows.push_back(fill_in_qos(std::move(set), tres, qos, release));
            }
    return rows;
}

std::vector<LimitRow> find_account_rows(const quota::LocalRecords& records) {
    std::vector<LimitRow> rows;
    for (const quota::LocalAssociation& each : records.associations) {
        const model::Association& link = each.link;
        if (link.level == model::AssociationLevel::user || link.hides_limits || link.hides_usage) continue;
        for (SetLimit& set : limits::find_set_limits(link.limits, *records.tres)) {
            const LimitFacts& facts = *set.facts;
            if (!facts.is_of_association() || facts.is_of_users_alone() || !facts.counts_others()) continue;
            set.used = limits::used_against(facts.limit, records.tres->find(set.tres), link.usage);
            rows.push_back({std::move(set), link.account});
        }
    }
    return rows;
}

} // namespace qg::cli
