// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/gate.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/count_job.hpp"
#include "qosgate/gate/nearest.hpp"
#include "qosgate/gate/partition_list.hpp"
#include "qosgate/gate/refusal.hpp"
#include "qosgate/limits/explain.hpp"
#include "qosgate/limits/submit.hpp"

namespace qg::gate {
namespace {

using limits::Strictness;
using model::Decision;
using model::JobRequest;
using model::RejectCode;
using policy::Level;

/// A request with everything that decides about it.
struct Resolved {
    PartitionList partitions;
    model::AccountView view;
    model::ResolvedJob job;
};

Result<Resolved> resolve(const JobRequest& request, const model::Cluster* cluster,
                         const quota::QuotaProvider& provider, limits::Release release) {
    static const model::Cluster no_cluster;
    Resolved resolved;
    if (cluster) resolved.partitions = find_partitions(request, *cluster);
    quota::Lookup lookup;
    lookup.user_id = request.user_id;
    if (request.account) lookup.account = *request.account;
    if (request.qos) lookup.qos = *request.qos;
    lookup.has_reservation = request.reservation.has_value();
    lookup.partitions = resolved.partitions.partitions;
    auto view = provider.check(lookup);
    if (!view) return view.error();
    resolved.view = *std::move(view);
    resolved.job = count_job(request, resolved.view, cluster ? *cluster : no_cluster, release);
    return resolved;
}

/// Runs the site's rules. Returns whether they rejected the job.
bool run_rules(Decision& decision, const Resolved& resolved, const policy::Policy& policy) {
    const model::AccountView& view = resolved.view;
    const std::string_view partition = view.partitions.empty()
                                           ? std::string_view()
                                           : std::string_view(view.partitions.front().partition->name);
    const policy::JobFacts facts{resolved.job, *view.tres, view.user_name,
                                 view.account, partition,  view.job_qos.name};
    policy::Outcome outcome = policy.run(decision.request, facts);
    decision.changed = outcome.changed;
    for (const policy::RuleEvent& event : outcome.events) {
        decision.log.push_back(text::format("rule '{}' ({}): {}: {}", event.rule, event.file,
                                            policy::to_string(event.kind), event.text));
        if (!event.detail.empty()) decision.log.push_back(event.detail);
    }
    if (outcome.rejected) {
        decision.reject = decision.expected = RejectCode::access_denied;
        decision.message = {outcome.reject_message};
        return true;
    }
    decision.message = std::move(outcome.warnings);
    return false;
}

/// Adds a refusal; in `enforce` the gate itself refuses, else it explains what slurmctld will do.
void refuse(Decision& decision, Refusal refusal, Level level, const policy::Settings& settings) {
    decision.expected = refusal.code;
    if (level == Level::enforce) decision.reject = refusal.code;
    decision.message.insert(decision.message.end(), std::make_move_iterator(refusal.lines.begin()),
                            std::make_move_iterator(refusal.lines.end()));
    if (!settings.contact.empty()) decision.message.push_back("questions: " + settings.contact);
}

/// The limits that the submit stage refuses for, if it does.
std::optional<Refusal> refuse_limits(const Resolved& resolved, const JobRequest& request,
                                     const model::Cluster& cluster, limits::Release release,
                                     Strictness strictness, std::string& reason) {
    const auto verdict = limits::evaluate_submit(resolved.view, resolved.job, release, strictness);
    if (verdict.accepted()) return std::nullopt;
    reason = verdict.violations.front().reason;
    Refusal refusal{RejectCode::accounting_policy,
                    limits::explain_refusal(verdict.violations, resolved.view)};
    if (const auto options = find_nearest(request, resolved.view, cluster, release, strictness))
        refusal.lines.push_back("would be accepted with: " + *options);
    return refusal;
}

/// Judges what slurmctld will judge, in its order.
void judge(Decision& decision, const Resolved& resolved, const model::Cluster* cluster,
           const policy::Settings& settings, limits::Release release) {
    const Level level = settings.limits;
    if (level == Level::off) return;
    std::optional<Refusal> refusal;
    if (cluster) refusal = refuse_partition(resolved.partitions, cluster->partitions);
    if (!refusal) refusal = refuse_account(resolved.view, decision.request);
    if (!refusal) refusal = refuse_qos(resolved.view);
    // Without the partitions nobody knows which partition QOS applies: no opinion on limits.
    if (!refusal && cluster) {
        refusal = refuse_partition_qos(resolved.view, cluster->enforce_part_limits);
        const Strictness strictness =
            level == Level::enforce ? Strictness::assume_strict : Strictness::as_configured;
        if (!refusal)
            refusal =
                refuse_limits(resolved, decision.request, *cluster, release, strictness, decision.reason);
    }
    if (refusal) refuse(decision, std::move(*refusal), level, settings);
}

} // namespace

Decision Gate::decide(JobRequest request, const model::Cluster* cluster, const policy::Policy* policy) const {
    static const policy::Settings default_settings;
    const policy::Settings& settings = policy ? policy->settings() : default_settings;
    Decision decision;
    decision.request = std::move(request);

    auto resolved = resolve(decision.request, cluster, provider_, release_);
    if (!resolved) {
        // Without a view rules still guard the door; limits are slurmctld's own business.
        decision.log.push_back("no opinion on limits: " + resolved.error().message);
        resolved = Resolved{};
        resolved->view.tres = model::TresCatalogue::built_in();
    }
    std::optional<JobRequest> original;
    if (policy && policy->has_rules()) {
        original = decision.request;
        if (run_rules(decision, *resolved, *policy)) return decision;
        if (decision.changed) {
            auto again = resolve(decision.request, cluster, provider_, release_);
            if (again) resolved = std::move(again);
        }
    }
    if (!resolved->view.tres || resolved->view.qos.empty()) {
    }
    judge(decision, *resolved, cluster, settings, release_);
    if (decision.reject != RejectCode::none && decision.changed) {
        decision.request = *std::move(original);
        decision.changed = false;
    }
    return decision;
}

Decision Gate::decide_update(JobRequest request, const model::Cluster* cluster,
                             const policy::Policy* policy) const {
    static const policy::Settings default_settings;
    Decision decision;
    decision.request = std::move(request);
    auto resolved = resolve(decision.request, cluster, provider_, release_);
    if (!resolved) {
        decision.log.push_back("no opinion on limits: " + resolved.error().message);
        return decision;
    }
    resolved->job.is_update = true;
    resolved->job.array_tasks = 1;
    judge(decision, *resolved, cluster, policy ? policy->settings() : default_settings, release_);
    return decision;
}

} // namespace qg::gate
