// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge.hpp"

#include "accounting.hpp"
#include "controller.hpp"

#include "qosgate/base/units.hpp"
#include "qosgate/gate/answer/advice.hpp"
#include "qosgate/gate/gate.hpp"
#include "qosgate/gate/predict/forecast.hpp"
#include "qosgate/gate/predict/het_parts.hpp"
#include "qosgate/slurm/cluster_quota.hpp"
#include "qosgate/slurm/cluster_reader.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/reject_codes.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <chrono>
#include <list>
#include <stdexcept>
#include <thread>

namespace qg::test {
namespace {

using nlohmann::json;

/// The engine outside slurmctld.
class Engine {
  public:
    Engine() : gate_(quota_, release), cluster_(read_cluster()) {}

    /// What becomes of the parts of a heterogeneous job together.
    json foretell_together(const std::list<JobDescription>& parts) {
        refresh();
        gate::HetParts others;
        json foretold{{"error", 0}, {"message", json::array()}, {"advice", json::array()}, {"refusal", ""}};
        std::uint32_t number = 0;
        for (const JobDescription& part : parts) {
            model::JobRequest request = slurm::read_job_desc(part.get(), /*submit_uid=*/0); // as in submit()
            request.is_het_part = true; // slurmctld fills that in
            others.begin_part(number);
            const model::Decision decision = gate_.decide(request, cluster_.get(), nullptr, &others);
            for (const std::string& line : decision.message)
                foretold["message"].push_back(std::to_string(number) + ": " + line);
            for (const std::string& line :
                 gate::find_advice(resolve(request), /*knows_reservations=*/true).lines)
                foretold["advice"].push_back(std::to_string(number) + ": " + line);
            if (foretold["error"] == 0) {
                foretold["error"] = slurm::to_slurm_error(decision.forecast.code);
                foretold["refusal"] = decision.forecast.reason;
            }
            ++number;
        }
        return foretold;
    }

    json foretell(const JobDescription& job) {
        refresh();
        const std::uint32_t sender = job.is_allocation() ? job.get().user_id : 0; // as in submit()
        model::JobRequest request = slurm::read_job_desc(job.get(), sender);
        request.is_het_part = false; // slurmctld fills that in
        const model::Decision decision = gate_.decide(request, cluster_.get(), nullptr);
        const model::Forecast& expected = decision.forecast;
        const gate::ResolvedRequest resolved = resolve(request);
        const gate::DetailedForecast forecast = gate::predict(resolved, limits::Strictness::as_configured);
        return {{"error", slurm::to_slurm_error(expected.code)},
                {"message", decision.message},
                {"advice", gate::find_advice(resolved, /*knows_reservations=*/true).lines},
                {"refusal", expected.reason},
                {"time_limit", slurm::write_time(expected.time_limit)},
                {"pending", expected.pending_reason},
                {"attempts", reasons_of(forecast)},
                {"depends_on_nodes",
                 std::any_of(forecast.pending.begin(), forecast.pending.end(), counts_nodes_in_use)}};
    }

  private:
    static constexpr auto release = limits::Release::from_version_number(SLURM_VERSION_NUMBER);

    static std::shared_ptr<const model::Cluster> read_cluster() {
        auto cluster = slurm::ClusterReader().poll();
        if (!cluster) throw std::runtime_error(cluster.error().message);
        return *cluster;
    }

    void refresh() {
        if (const auto fresh = quota_.sync(); !fresh) throw std::runtime_error(fresh.error().message);
    }

    gate::ResolvedRequest resolve(const model::JobRequest& request) const {
        gate::ResolvedRequest resolved = gate::resolve(request, {*cluster_, quota_, release});
        if (!resolved.known) throw std::runtime_error(resolved.known.error().message);
        return resolved;
    }

    /// What would block the job in its partitions: Reasons (two if either may be seen), and an empty one if
    /// nothing blocks it in some partition.
    static json reasons_of(const gate::DetailedForecast& forecast) {
        json reasons = json::array();
        if (forecast.starts_somewhere()) reasons.push_back("");
        for (const gate::PendingCause& cause : forecast.pending) {
            reasons.push_back(cause.reason);
            const bool is_of_limit =
                !cause.violations.empty() && cause.reason == cause.violations.front().reason;
            if (is_of_limit && !cause.rules.empty()) reasons.push_back("PartitionNodeLimit");
            // Where the nodes in use decide, a limit behind that on nodes may be the first that is certain.
            if (counts_nodes_in_use(cause))
                for (const limits::Violation& violation : cause.violations)
                    reasons.push_back(violation.reason);
        }
        return reasons;
    }

    /// Whether the nodes that others use decide. A job that gets some of those does not count them again.
    static bool counts_nodes_in_use(const gate::PendingCause& cause) {
        static constexpr std::size_t node = 3; // its place in every TRES array
        return std::any_of(cause.violations.begin(), cause.violations.end(),
                           [](const limits::Violation& v) { return v.tres == node && v.used > 0; });
    }

    slurm::ClusterQuota quota_;
    gate::Gate gate_;
    std::shared_ptr<const model::Cluster> cluster_;
};

/// Waits until the plugin inside slurmctld has seen the partitions as they are now: it reads them now and
/// then. A time limit of partition "canary" that differs each time tells.
class PartitionsSeen {
  public:
    static PartitionsSeen mark() {
        static std::uint32_t counter = 1000;
        PartitionsSeen seen{++counter};
        update_partition("canary", {{"max_time", seen.minutes_}});
        return seen;
    }

    void await(const json& filler) const {
        json job = filler;
        job["partition"] = "canary";
        job["min_nodes"] = 1;
        job["min_cpus"] = 1;
        job["time_limit"] = minutes_ + 100000;
        const std::string wanted = "limit " + units::format_minutes(TimeLimit{minutes_});
        for (int i = 0; i < 300; ++i) {
            const Answer answer = submit_held(job);
            if (answer.job_id != 0) end_job(answer.job_id);
            if (answer.message.find(wanted) != std::string::npos) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        throw std::runtime_error("the plugin does not see the partitions as they are");
    }

  private:
    explicit PartitionsSeen(std::uint32_t minutes) : minutes_(minutes) {}

    std::uint32_t minutes_;
};

void start_usage(const json& scenario) {
    for (const json& wanted : scenario.value("running", json::array())) {
        json job = wanted;
        job["client"] = "salloc";
        job["immediate"] = 1; // what cannot run now is not wanted
        const std::uint32_t new_limit = job.value("new_time_limit", 0u);
        job.erase("new_time_limit");
        JobDescription description(job);
        const Answer answer = submit(description);
        if (answer.job_id != 0 && new_limit != 0) set_time_limit(answer.job_id, new_limit);
    }
    if (scenario.contains("later_qos")) set_accounting(scenario["later_qos"], json::array());
    for (const json& job : scenario.value("held", json::array()))
        submit_held(job);
    if (scenario.contains("filler") && scenario.value("full", false))
        fill_nodes(scenario["filler"], scenario.at("nodes").get<std::vector<std::string>>());
}

void look(json& actual, const JobState& job) {
    actual["state"] = job.state;
    actual["pending"] = job.state == "PENDING" ? job.reason : "";
    actual["time_limit"] = job.time_limit;
    actual["partition"] = job.partition;
    actual["qos"] = job.qos;
}

/// Whether a job is left waiting until the scheduler has looked at it. An allocation was looked at when it
/// was asked for, but slurmctld may know better later: then "PartitionConfig" becomes a rule's Reason, and
/// a partition's own rules are asked for. And while others wait, it is not tried in every partition.
bool is_for_the_pass(const json& scenario, const json& job, const json& result) {
    const json& actual = result["actual"];
    if (actual["state"] != "PENDING" || job.value("priority", 1u) == 0) return false;
    const json& foretold = result["foretold"]["pending"];
    const bool is_unheld = actual["pending"] == "Priority" || actual["pending"] == "Resources";
    return scenario.value("full", false) || actual["pending"] == "PartitionConfig" ||
           actual["pending"] == "None" || foretold != (is_unheld ? json("") : actual["pending"]);
}

/// A job that waits, and the place of its result.
struct Waiting {
    std::size_t index;
    std::uint32_t job_id;
};

/// Looks at jobs once the scheduler has. While it looks at a job itself, and while the job is one of many in
/// its partition, the Reason is gone for a moment; a job that is foretold one gets more looks.
void look_after_pass(const json& scenario, std::vector<Waiting> waiting, json& results) {
    constexpr int max_looks = 8; // on a busy machine one pass does not try every job
    for (int looks = 0; looks < max_looks && !waiting.empty(); ++looks) {
        await_scheduling_pass(scenario.at("bait"));
        std::vector<Waiting> again;
        for (const Waiting& job : waiting) {
            // The time limit to compare is that of the submission: backfill may try others.
            const JobState now = look_at(job.job_id);
            json& result = results[job.index];
            result["actual"]["state"] = now.state;
            result["actual"]["pending"] = now.state == "PENDING" ? now.reason : "";
            // "Resources": nodes of the jobs before it may not be free yet.
            const bool is_unsaid =
                now.reason == "None" || now.reason == "Priority" || now.reason == "Resources";
            if (is_unsaid && result["foretold"]["pending"] != "") again.push_back(job);
        }
        waiting = std::move(again);
    }
}

/// A heterogeneous job; "parts" are those behind the first.
json judge_together(json first, Engine& engine) {
    const json others = first["parts"];
    first.erase("parts");
    std::list<JobDescription> parts;
    parts.emplace_back(first);
    for (const json& part : others)
        parts.emplace_back(part);
    json result{{"foretold", engine.foretell_together(parts)}};
    const Answer answer = submit_together(parts);
    result["actual"] = {{"error", answer.error}, {"message", answer.message}, {"state", ""}};
    if (answer.job_id != 0) end_job(answer.job_id);
    return result;
}

} // namespace

json judge(const json& scenario) {
    end_all_jobs();
    for (const auto& [name, settings] : scenario.at("partitions").items())
        update_partition(name, settings);
    const PartitionsSeen partitions = PartitionsSeen::mark();
    set_accounting(scenario.at("qos"), scenario.at("associations"));
    start_usage(scenario);
    partitions.await(scenario.at("filler"));

    Engine engine;
    json results = json::array();
    std::vector<Waiting> waiting;
    for (const json& job : scenario.at("jobs")) {
        if (job.contains("parts")) {
            results.push_back(judge_together(job, engine));
            continue;
        }
        JobDescription description(job);
        json result{{"foretold", engine.foretell(description)}};
        const Answer answer = submit(description);
        json& actual = result["actual"];
        actual = {{"error", answer.error}, {"message", answer.message}, {"state", ""}};
        if (answer.job_id != 0) {
            look(actual, look_at(answer.job_id));
            if (is_for_the_pass(scenario, job, result))
                waiting.push_back({results.size(), answer.job_id});
            else
                end_job(answer.job_id);
        }
        results.push_back(std::move(result));
    }
    look_after_pass(scenario, waiting, results);
    return results;
}

} // namespace qg::test
