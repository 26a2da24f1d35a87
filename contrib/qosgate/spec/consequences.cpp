// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/consequences.hpp"

#include "common/default_release.hpp"
#include "common/output.hpp"
#include "job/judged_world.hpp"
#include "job/user_world.hpp"
#include "qos/changed_qos.hpp"
#include "report/qos_usage.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/slurm/queue_reader.hpp"
#include "qosgate/spec/changes.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <set>

#include <unistd.h>

namespace qg::cli {
namespace {

using model::QueuedJob;
using model::QueueState;
using nlohmann::ordered_json;

/// Lines of one kind for people.
constexpr std::size_t max_consequences = 20;

/// The QOSs that a plan changes, or the access to them. `after` is the state after it.
std::set<std::string> touched_by(const spec::Plan& plan, const spec::LiveState& after) {
    std::set<std::string> names;
    for (const model::QosRecord& record : plan.created)
        names.insert(record.name);
    for (const spec::PlannedUpdate& update : plan.updated)
        names.insert(update.after.name);
    for (const model::QosRecord& record : plan.removed)
        names.insert(record.name);
    for (const model::AccessChange& change : plan.access) {
        names.insert(change.granted.begin(), change.granted.end());
        names.insert(change.revoked.begin(), change.revoked.end());
    }
    for (std::size_t i = 0; i < plan.access.size(); ++i) {
        if (!plan.access[i].own) continue;
        const auto found =
            std::ranges::find(after.associations, plan.access[i].name, &model::AssociationRecord::name);
        if (found != after.associations.end())
            std::ranges::set_symmetric_difference(plan.access_base[i].qos, found->qos,
                                                  std::inserter(names, names.end()));
    }
    return names;
}

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
    Judge(const UserWorld& before, const UserWorld& after, std::span<const QueuedJob> holding)
        : before_{context(before, holding)}, after_{context(after, holding)}, names_(before) {}

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
    static QueueContext context(const UserWorld& world, std::span<const QueuedJob> holding) {
        return {.world = world,
                .holding = holding,
                .reader = getuid(),
                .release = default_release(),
                .now = std::time(nullptr),
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
                      std::vector<AboveLimit>& found) {
    const auto release = default_release();
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

std::vector<AboveLimit> find_above_limits(const spec::Plan& plan, const UserWorld& before,
                                          const UserWorld& after) {
    std::vector<AboveLimit> found;
    const auto find = [](const UserWorld& world, const std::string& name) {
        const auto& all = world.accounting->records().qos;
        const auto at = std::ranges::find_if(
            all, [&](const quota::LocalQos& each) { return text::iequals(each.qos.name, name); });
        return at == all.end() ? nullptr : &*at;
    };
    for (const spec::PlannedUpdate& update : plan.updated) {
        const quota::LocalQos* old = find(before, update.after.name);
        const quota::LocalQos* now = find(after, update.after.name);
        if (old != nullptr && now != nullptr) add_above_limits(*old, *now, before, found);
    }
    return found;
}

void print_jobs(const std::vector<JobConsequence>& jobs, std::string_view what, std::ostream& out) {
    if (jobs.empty()) return;
    out << text::format("  {} {}:\n", count_of(jobs.size(), "pending job"), what);
    for (std::size_t i = 0; i < jobs.size() && i < max_consequences; ++i)
        out << text::format("    {} of {} (QOS {}){}{}\n", jobs[i].job, text::printable(jobs[i].user),
                            text::printable(jobs[i].qos), jobs[i].text.empty() ? "" : ": ",
                            text::printable(jobs[i].text, 1000));
    if (jobs.size() > max_consequences)
        out << text::format("    ... and {} more (--json lists all)\n", jobs.size() - max_consequences);
}

ordered_json jobs_to_json(const std::vector<JobConsequence>& jobs) {
    auto list = ordered_json::array();
    for (const JobConsequence& job : jobs)
        list.push_back({{"job", job.job}, {"user", job.user}, {"qos", job.qos}, {"text", job.text}});
    return list;
}

} // namespace

quota::World with_plan(quota::World world, const spec::Plan& plan, const spec::LiveState& after) {
    for (const model::QosRecord& record : plan.created)
        put_qos(world.records, record);
    for (const spec::PlannedUpdate& update : plan.updated)
        put_qos(world.records, update.after);
    for (const model::QosRecord& record : plan.removed)
        remove_qos(world.records, record.name);
    if (plan.access.empty()) return world;
    std::map<std::tuple<std::string, std::string, std::string>, const model::AssociationRecord*> by_name;
    for (const model::AssociationRecord& each : after.associations)
        by_name.emplace(std::tuple(text::lower(each.name.account), each.name.user, each.name.partition),
                        &each);
    for (quota::LocalAssociation& association : world.records.associations) {
        const auto found = by_name.find(std::tuple(text::lower(association.link.account),
                                                   association.link.user, association.link.partition));
        if (found == by_name.end() || !association.permitted_qos) continue;
        association.permitted_qos.emplace(found->second->qos.begin(), found->second->qos.end());
        association.default_qos = found->second->default_qos;
    }
    return world;
}

Consequences find_consequences(const quota::World& world, const std::vector<QueuedJob>& queue,
                               const spec::Plan& plan, const spec::LiveState& after,
                               const JudgedProgress& progress) {
    Consequences found;
    const UserWorld before = make_user_world(world);
    const UserWorld changed = make_user_world(with_plan(world, plan, after));
    const auto touched = touched_by(plan, after);
    std::vector<QueuedJob> holding;
    std::vector<const QueuedJob*> pending;
    for (const QueuedJob& job : queue) {
        if (job.holds_resources()) holding.push_back(job);
        if (!has_any(job, touched, *before.cluster)) continue;
        if (job.holds_resources()) ++found.running;
        if (job.state == QueueState::pending) pending.push_back(&job);
    }
    found.pending = pending.size();
    found.above = find_above_limits(plan, before, changed);
    const Judge judge(before, changed, holding);
    for (const QueuedJob* job : pending) {
        if (found.judged == max_judged_jobs || !progress(found.judged, pending.size())) break;
        judge.add(*job, found);
        ++found.judged;
    }
    return found;
}

std::optional<Consequences> judge_plan(const spec::Plan& plan, const spec::LiveState& live, Output& output) {
    const auto not_known = [&](const std::string& why) {
        output.warn("what happens to the jobs in the queue is not known: " + why);
        return std::nullopt;
    };
    const auto world = capture_world();
    if (!world) return not_known(world.error().message);
    if (!quota::LocalQuota(world->records).is_operator(getuid()))
        return not_known("only root, SlurmUser and operators see all jobs");
    const auto queue = slurm::read_queue();
    if (!queue) return not_known(queue.error().message);
    using Clock = std::chrono::steady_clock;
    auto last = Clock::now();
    const auto progress = [&](std::size_t done, std::size_t all) {
        constexpr std::chrono::seconds interval{2};
        if (Clock::now() - last < interval) return true;
        last = Clock::now();
        output.note(text::format("{} of {} pending jobs are judged", done, all));
        return true;
    };
    return find_consequences(*world, queue->jobs, plan, spec::apply_to(plan, live), progress);
}

void print(const Consequences& found, std::ostream& out) {
    if (found.running == 0 && found.pending == 0 && found.above.empty()) {
        out << "No job has one of these QOSs now.\n";
        return;
    }
    out << "Now in the queue:\n";
    out << text::format("  {} with these QOSs: nothing happens to them\n",
                        count_of(found.running, "running job"));
    print_jobs(found.stuck, "could never start any more", out);
    print_jobs(found.barred, "could never start any more: their users may not use the QOS", out);
    print_jobs(found.freed, "would no longer wait for a limit", out);
    for (std::size_t i = 0; i < found.above.size() && i < max_consequences; ++i)
        out << text::format("  QOS {}: {} above {}: {} in use; new jobs wait until it is less\n",
                            text::printable(found.above[i].qos), text::printable(found.above[i].who),
                            found.above[i].limit, found.above[i].used);
    if (found.above.size() > max_consequences)
        out << text::format("  ... and {} more above a limit (--json lists all)\n",
                            found.above.size() - max_consequences);
    const std::size_t same = found.judged - found.stuck.size() - found.barred.size() - found.freed.size();
    if (same > 0)
        out << text::format("  {} as before, as far as limits decide\n", count_of(same, "pending job"));
    if (found.judged < found.pending)
        out << text::format("  {} not judged\n", count_of(found.pending - found.judged, "pending job"));
}

ordered_json to_json(const Consequences& found) {
    auto above = ordered_json::array();
    for (const AboveLimit& each : found.above)
        above.push_back({{"qos", each.qos}, {"who", each.who}, {"limit", each.limit}, {"used", each.used}});
    return {{"running", found.running},
            {"pending", found.pending},
            {"judged", found.judged},
            {"stuck", jobs_to_json(found.stuck)},
            {"barred", jobs_to_json(found.barred)},
            {"freed", jobs_to_json(found.freed)},
            {"above", above}};
}

} // namespace qg::cli
