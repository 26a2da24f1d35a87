// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/plan_consequences.hpp"

#include "common/default_release.hpp"
#include "job/judged_world.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/report/changed_qos.hpp"
#include "qosgate/slurm/queue_reader.hpp"
#include "qosgate/spec/changes.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include <unistd.h>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

/// Lines of one kind for people.
constexpr std::size_t max_consequences = 20;

/// The QOSs that a plan changes, or the access to them. `after` is the state after it.
std::set<std::string> touched_by(const spec::Plan& plan, const spec::LiveState& after) {
    std::set<std::string> names;
    for (const model::QosRecord& record : plan.created)
        names.insert(text::lower(record.name));
    for (const spec::PlannedUpdate& update : plan.updated)
        names.insert(update.after.name);
    for (const model::QosRecord& record : plan.removed)
        names.insert(text::lower(record.name));
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

/// The world with the plan carried out.
quota::World with_plan(quota::World world, const spec::Plan& plan, const spec::LiveState& after) {
    for (const model::QosRecord& record : plan.created)
        report::put_qos(world.records, record);
    for (const spec::PlannedUpdate& update : plan.updated)
        report::put_qos(world.records, update.after);
    for (const model::QosRecord& record : plan.removed)
        report::remove_qos(world.records, record.name);
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

void print_jobs(const std::vector<report::JobConsequence>& jobs, std::string_view what, std::ostream& out) {
    if (jobs.empty()) return;
    out << text::format("  {} {}:\n", text::count_of(jobs.size(), "pending job"), what);
    for (std::size_t i = 0; i < jobs.size() && i < max_consequences; ++i)
        out << text::format("    {} of {} (QOS {}){}{}\n", jobs[i].job, text::printable(jobs[i].user),
                            text::printable(jobs[i].qos), jobs[i].text.empty() ? "" : ": ",
                            text::printable(jobs[i].text, 1000));
    if (jobs.size() > max_consequences)
        out << text::format("    ... and {} more (--json lists all)\n", jobs.size() - max_consequences);
}

ordered_json jobs_to_json(const std::vector<report::JobConsequence>& jobs) {
    auto list = ordered_json::array();
    for (const report::JobConsequence& job : jobs)
        list.push_back({{"job", job.job}, {"user", job.user}, {"qos", job.qos}, {"text", job.text}});
    return list;
}

} // namespace

std::optional<report::Consequences> judge_plan(const spec::Plan& plan, const spec::LiveState& live,
                                               Output& output) {
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
    const spec::LiveState after = spec::apply_to(plan, live);
    return report::find_consequences(
        report::make_user_world(*world), report::make_user_world(with_plan(*world, plan, after)), queue->jobs,
        touched_by(plan, after),
        {.reader = getuid(), .release = default_release(), .now = std::time(nullptr)}, progress);
}

void print(const report::Consequences& found, std::ostream& out) {
    if (found.running == 0 && found.pending == 0 && found.above.empty()) {
        out << "No job has one of these QOSs now.\n";
        return;
    }
    out << "Now in the queue:\n";
    out << text::format("  {} with these QOSs: nothing happens to them\n",
                        text::count_of(found.running, "running job"));
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
        out << text::format("  {} as before, as far as limits decide\n", text::count_of(same, "pending job"));
    if (found.judged < found.pending)
        out << text::format("  {} not judged\n", text::count_of(found.pending - found.judged, "pending job"));
}

ordered_json to_json(const report::Consequences& found) {
    auto above = ordered_json::array();
    for (const report::AboveLimit& each : found.above)
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
