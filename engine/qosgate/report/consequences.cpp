// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/report/consequences.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/report/qos_usage.hpp"

#include <algorithm>
#include <span>

namespace qg::report {
namespace {

using limits::SetLimit;
using model::QueuedJob;
using model::QueueState;

/// The QOSs of the partitions that a job may start in, and its own.
bool has_any(const QueuedJob& job, const std::set<std::string>& names, const model::Cluster& cluster) {
    if (names.contains(text::lower(job.qos))) return true;
    return std::ranges::any_of(cluster.partitions.all(), [&](const auto& partition) {
        if (partition->qos.empty() || !names.contains(text::lower(partition->qos))) return false;
        bool is_there = false;
        text::for_each_part(job.partition, ',',
                            [&](std::string_view name) { is_there = is_there || name == partition->name; });
        return is_there;
    });
}

class Judge {
  public:
    Judge(const UserWorld& before, const UserWorld& after, std::span<const QueuedJob> holding,
          const JudgedFor& judged_for)
        : before_{context(before, holding, judged_for)}, after_{context(after, holding, judged_for)},
          names_(before) {}

    void add(const QueuedJob& job, Consequences& found) const {
        const JobStanding now = find_standing(job, before_);
        const JobStanding then = find_standing(job, after_);
        if (!now.is_known || !then.is_known) return;
        const auto line = [&](const JobStanding& standing) {
            return JobConsequence{job.name, names_.name_of(job.user_id), job.qos,
                                  text::join(standing.texts, "; ")};
        };
        if (now.may_use_qos && !then.may_use_qos)
            found.barred.push_back(line(then));
        else if (!now.is_blocked_for_good && then.is_blocked_for_good)
            found.stuck.push_back(line(then));
        else if (now.may_use_qos && now.is_blocked && then.may_use_qos && !then.is_blocked)
            found.freed.push_back(line(now));
    }

  private:
    static QueueContext context(const UserWorld& world, std::span<const QueuedJob> holding,
                                const JudgedFor& judged_for) {
        return {.world = world,
                .holding = holding,
                .reader = judged_for.reader,
                .release = judged_for.release,
                .now = judged_for.now,
                .seeks_changes = false};
    }

    QueueContext before_;
    QueueContext after_;
    const UserWorld& names_;
};

/// Whether the QOS had this limit before, as strict as now.
bool was_as_strict(const QosUse& before, const SetLimit& limit, model::LimitScope scope) {
    const auto has_it = [&](const SetLimit& other) {
        return other.facts == limit.facts && other.tres == limit.tres && other.value <= limit.value;
    };
    const auto in = [&](const ScopeUse& use) { return std::ranges::any_of(use.limits, has_it); };
    switch (scope) {
    case model::LimitScope::group: return in(before.all);
    case model::LimitScope::account: return std::ranges::any_of(before.accounts, in);
    case model::LimitScope::user: return std::ranges::any_of(before.users, in);
    case model::LimitScope::job:
    case model::LimitScope::node: break;
    }
    return true;
}

void add_above_limits(const quota::LocalQos& before, const quota::LocalQos& after, const UserWorld& world,
                      limits::Release release, std::vector<AboveLimit>& found) {
    const auto name_of = [&](std::uint32_t id) { return world.name_of(id); };
    const model::TresCatalogue& tres = *world.accounting->records().tres;
    const QosUse old = find_use(before, tres, release, name_of);
    const QosUse now = find_use(after, tres, release, name_of);
    const auto look = [&](const ScopeUse& use, const std::string& who) {
        for (const SetLimit& limit : use.limits)
            if (limit.used.value_or(0) > limit.value && !was_as_strict(old, limit, use.scope))
                found.push_back({now.name, who, limit.text(), limit.used_text()});
    };
    look(now.all, "all jobs");
    for (const ScopeUse& account : now.accounts)
        look(account, "account " + account.name);
    for (const ScopeUse& user : now.users)
        look(user, "user " + user.name);
}

std::vector<AboveLimit> find_above_limits(const std::set<std::string>& touched, const UserWorld& before,
                                          const UserWorld& after, limits::Release release) {
    std::vector<AboveLimit> found;
    const std::vector<quota::LocalQos>& changed = after.accounting->records().qos;
    for (const quota::LocalQos& old : before.accounting->records().qos) {
        if (!touched.contains(text::lower(old.qos.name))) continue;
        const auto is_it = [&](const quota::LocalQos& each) {
            return text::iequals(each.qos.name, old.qos.name);
        };
        const auto now = std::ranges::find_if(changed, is_it);
        if (now != changed.end()) add_above_limits(old, *now, before, release, found);
    }
    return found;
}

} // namespace

Consequences find_consequences(const UserWorld& before, const UserWorld& after,
                               const std::vector<QueuedJob>& queue, const std::set<std::string>& touched,
                               const JudgedFor& judged_for, const JudgedProgress& progress) {
    Consequences found;
    std::vector<QueuedJob> holding;
    std::vector<const QueuedJob*> pending;
    for (const QueuedJob& job : queue) {
        if (job.holds_resources()) holding.push_back(job);
        if (!has_any(job, touched, *before.cluster)) continue;
        if (job.holds_resources()) ++found.running;
        if (job.state == QueueState::pending) pending.push_back(&job);
    }
    found.pending = pending.size();
    found.above = find_above_limits(touched, before, after, judged_for.release);
    const Judge judge(before, after, holding, judged_for);
    for (const QueuedJob* job : pending) {
        if (found.judged == max_judged_jobs || !progress(found.judged, pending.size())) break;
        judge.add(*job, found);
        ++found.judged;
    }
    return found;
}

} // namespace qg::report
