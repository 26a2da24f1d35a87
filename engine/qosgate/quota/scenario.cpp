// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/scenario.hpp"

#include "qosgate/quota/scenario_node.hpp"

#include <algorithm>
#include <optional>

namespace qg::quota {
namespace {

using scenario::Key;
using scenario::Node;
using scenario::read_counts;
using scenario::read_object;

/// A job as the scenario describes it, before it is combined with the records.
struct JobPart {
    std::uint32_t user = 0;
    std::string account;
    std::optional<std::string> qos;
    std::vector<std::string> partitions;
    model::ResolvedJob resolved;
};

void read_operator_set(const Node& node, const model::TresCatalogue& catalogue, model::ResolvedJob& job) {
    node.for_each_element([&](const Node& v) {
        const std::string name = v.text();
        if (name == "time") {
            job.operator_set_time = true;
            return;
        }
        const auto index = catalogue.find(name);
        if (!index) v.fail("must be \"time\" or a TRES of this scenario");
        job.operator_set_tres.resize(catalogue.size());
        job.operator_set_tres[*index] = true;
    });
}

JobPart read_job(const Node& node, const model::TresCatalogue& catalogue) {
    JobPart job;
    job.resolved.tres.resize(catalogue.size());
    read_object(
        node, {
                  {"user", [&](const Node& v) { job.user = v.number32(); }},
                  {"account", [&](const Node& v) { job.account = v.text(); }},
                  {"qos",
                   [&](const Node& v) {
                       if (!v.is_null()) job.qos = v.text();
                   }},
                  {"partitions",
                   [&](const Node& v) {
                       v.for_each_element([&](const Node& name) { job.partitions.push_back(name.text()); });
                   }},
                  {"time_limit",
                   [&](const Node& v) {
                       if (!v.is_null()) job.resolved.time_limit = v.minutes();
                   }},
                  {"time_min",
                   [&](const Node& v) {
                       if (!v.is_null()) job.resolved.time_min = v.minutes();
                   }},
                  {"tres", [&](const Node& v) { job.resolved.tres = read_counts(v, catalogue); }},
                  {"alloc_tres", [&](const Node& v) { job.resolved.allocated = read_counts(v, catalogue); }},
                  {"array_tasks", [&](const Node& v) { job.resolved.array_tasks = v.number32(); }},
                  {"update", [&](const Node& v) { job.resolved.is_update = v.boolean(); }},
                  {"operator_set", [&](const Node& v) { read_operator_set(v, catalogue, job.resolved); }},
              });
    return job;
}

Scenario read_scenario(const Node& root) {
    Scenario scenario;
    World world;
    std::optional<JobPart> job;
    std::vector<Key> keys = scenario::world_keys(root, world);
    keys.push_back({"id", [&](const Node& v) { scenario.id = v.text(); }});
    keys.push_back({"job", [&](const Node& v) { job = read_job(v, *world.records.tres); }});
    keys.push_back({"expect", [](const Node&) { /* for whoever compares; not ours to read */ }});
    read_object(root, keys);
    if (!job) root.fail("has no job");
    set_job_user(world, job->user);
    LocalRecords& records = world.records;
    const auto& partitions = world.partitions;
    scenario::link_chain(root, world);

    std::vector<std::shared_ptr<const model::Partition>> asked;
    Lookup lookup;
    lookup.user_id = job->user;
    lookup.account = job->account;
    if (job->qos) lookup.qos = *job->qos;
    for (const std::string& name : job->partitions) {
        const auto found = std::find_if(partitions.begin(), partitions.end(),
                                        [&](const auto& p) { return p->name == name; });
        if (found == partitions.end())
            root.fail("job.partitions names '" + text::printable(name) + "', which is not in partitions");
        asked.push_back(*found);
    }
    lookup.partitions = asked;
    auto view = LocalQuota(std::move(records)).check(lookup);
    if (!view) root.fail(view.error().message);
    const model::QosProblem problem = view->job_qos.problem;
    if (problem == model::QosProblem::unknown || problem == model::QosProblem::list_not_allowed)
        root.fail("job.qos names '" + text::printable(*job->qos) + "', which is not in qos");
    scenario.view = *std::move(view);
    // A job without a QOS differs from a job that asks for the default QOS.
    if (!job->qos) scenario.view.job_qos = {};
    scenario.job = std::move(job->resolved);
    return scenario;
}

} // namespace

Result<Scenario> parse_scenario(std::string_view text) {
    return scenario::parse(text, read_scenario);
}

} // namespace qg::quota
