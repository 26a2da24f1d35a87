// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/report/qos_usage.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/binding.hpp"
#include "qosgate/limits/catalogue.hpp"

#include <algorithm>

namespace qg::report {
namespace {

using model::LimitFacts;
using model::LimitScope;

/// The limits of a QOS on jobs that count together in this way; without usage.
std::vector<SetLimit> limits_on(LimitScope scope, const model::Limits& limits,
                                const model::TresCatalogue& tres) {
    auto set = limits::find_set_limits(limits, tres);
    std::erase_if(set, [&](const SetLimit& limit) {
        const LimitFacts& facts = *limit.facts;
        const LimitScope counts = facts.scope == LimitScope::node ? LimitScope::job : facts.scope;
        return counts != scope || !facts.is_of_qos();
    });
    return set;
}

/// Adds what is used of the limits.
ScopeUse use_of(ScopeUse empty, const model::Usage& usage, const model::TresCatalogue& tres,
                limits::Release release) {
    empty.running = usage.jobs;
    empty.pending = usage.submit_jobs - std::min(usage.submit_jobs, usage.jobs);
    for (SetLimit& limit : empty.limits)
        if (is_counted(*limit.facts, release))
            limit.used = limits::used_against(
                limit.facts->limit, limit.tres.empty() ? std::nullopt : tres.find(limit.tres), usage);
    return empty;
}

bool is_in_use(const ScopeUse& use) {
    return use.running > 0 || use.pending > 0 ||
           std::ranges::any_of(use.limits, [](const SetLimit& limit) { return limit.used.value_or(0) > 0; });
}

} // namespace

bool is_counted(const LimitFacts& facts, limits::Release release) {
    const bool is_since_24_05 =
        facts.measure == model::LimitMeasure::tres_run_minutes && facts.scope != LimitScope::group;
    return !is_since_24_05 || release.follows(limits::rules::enforces_run_mins);
}

QosUse find_use(const quota::LocalQos& qos, const model::TresCatalogue& tres, limits::Release release,
                const std::function<std::string(std::uint32_t)>& name_of) {
    const auto empty = [&](LimitScope scope, std::string name = {}) {
        return ScopeUse{
            .scope = scope, .name = std::move(name), .limits = limits_on(scope, qos.qos.limits, tres)};
    };
    QosUse use{.name = qos.qos.name,
               .priority = qos.qos.priority,
               .all = use_of(empty(LimitScope::group), qos.qos.usage, tres, release),
               .accounts = {},
               .users = {},
               .job = empty(LimitScope::job)};
    const auto add = [&](std::vector<ScopeUse>& to, LimitScope scope, std::string name,
                         const model::Usage& usage) {
        ScopeUse each = use_of(empty(scope, std::move(name)), usage, tres, release);
        if (is_in_use(each)) to.push_back(std::move(each));
    };
    for (const auto& [account, usage] : qos.accounts)
        add(use.accounts, LimitScope::account, account, usage);
    for (const auto& [id, usage] : qos.users)
        add(use.users, LimitScope::user, name_of(id), usage);
    std::ranges::sort(use.users, {}, &ScopeUse::name);
    // Limits that nobody uses are limits, too.
    const auto add_nobody = [&](std::vector<ScopeUse>& to, LimitScope scope) {
        if (to.empty()) to.push_back(use_of(empty(scope), {}, tres, release));
    };
    add_nobody(use.accounts, LimitScope::account);
    add_nobody(use.users, LimitScope::user);
    return use;
}

std::vector<QosUse::Fullest> QosUse::fullest() const {
    std::vector<Fullest> found;
    for (const SetLimit& limit : all.limits)
        found.push_back({&all, limit});
    for (const auto* scopes : {&accounts, &users})
        for (std::size_t i = 0; i < scopes->front().limits.size(); ++i) {
            const auto share = [i](const ScopeUse& use) { return use.limits[i].share(); };
            const auto most = std::ranges::max_element(*scopes, {}, share);
            found.push_back({&*most, most->limits[i]});
        }
    for (const SetLimit& limit : job.limits)
        found.push_back({&job, limit});
    std::ranges::stable_sort(found, std::ranges::greater(),
                             [](const Fullest& each) { return each.limit.share(); });
    return found;
}

Viewer make_viewer(const UserWorld& world, std::uint32_t user_id) {
    const model::PrivateData& data = world.accounting->records().private_data;
    const bool sees_all = world.accounting->is_operator(user_id);
    return {.name = world.name_of(user_id),
            .sees_use = sees_all || (!data.usage && !data.accounts),
            // slurmctld hides the associations of others only then.
            .sees_members = sees_all || !data.usage};
}

} // namespace qg::report
