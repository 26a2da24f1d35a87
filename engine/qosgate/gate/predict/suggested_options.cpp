// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/predict/suggested_options.hpp"

#include "qosgate/gate/answer/advice.hpp"
#include "qosgate/gate/answer/answer.hpp"
#include "qosgate/gate/answer/request_options.hpp"
#include "qosgate/gate/decide/effort.hpp"
#include "qosgate/gate/nodes/placement.hpp"
#include "qosgate/gate/nodes/reservations.hpp"
#include "qosgate/gate/nodes/selection_failures.hpp"
#include "qosgate/gate/nodes/whole_nodes.hpp"
#include "qosgate/gate/predict/forecast.hpp"

#include <algorithm>

namespace qg::gate {

using model::JobRequest;

namespace {

/// Whether the reservations of the job, if it names any, may have what it asks for. What is free in them is
/// not known, so several nodes are not certain.
bool may_fit_reservation(const ResolvedRequest& asked) {
    if (!asked.request.reservation) return true;
    return nodes_needed(asked) <= 1 && find_advice(asked, /*knows_reservations=*/true).lines.empty();
}

/// Whether a request that is accepted waits for other jobs, or for a partition that is down, at first.
bool waits_at_first(const ResolvedRequest& asked, limits::Strictness strictness) {
    return !asked.request.starts_later() && predict(asked, strictness).blocking() != nullptr;
}

} // namespace

SuggestedOptions::SuggestedOptions(const ResolvedRequest& asked, const RulesRun* rules,
                                   limits::Strictness strictness)
    : asked_(asked), rules_(rules), strictness_(strictness), context_(asked.context) {}

bool SuggestedOptions::are_possible() const {
    const JobRequest& request = asked_.request;
    const model::AccountView& view = asked_.view();
    // Options of a part of a heterogeneous job must stand before the colon that ends the part.
    if (request.is_het_part || !is_short(asked_)) return false;
    if (request.empty_names != 0) return false; // which of several names was meant is not known
    const model::Cluster& cluster = asked_.context.cluster;
    if (may_take_whole_nodes(request, view, cluster) &&
        !std::ranges::all_of(view.partitions, [&](const model::PartitionChoice& choice) {
            return knows_whole_nodes(request, *choice.partition, cluster);
        }))
        return false;
    if (request.tres_per_socket) return false; // the selection decides how many sockets a job gets
    if (view.partitions.empty()) return false; // slurmctld refuses such a job
    // A suggestion for a hidden partition would reveal its limits and access lists.
    if (has_hidden_partition(view)) return false;
    return rules_ == nullptr || !rules_->has_failures;
}

std::optional<SuggestedOptions::Options> SuggestedOptions::say(const JobRequest& better, bool starts_now) {
    if (may_fail_selection(better, context_.release)) return std::nullopt;
    const ResolvedRequest resolved = resolve(better, context_);
    if (!may_fit_reservation(resolved)) return std::nullopt;
    const bool waits = waits_at_first(resolved, strictness_);
    if (starts_now && waits) return std::nullopt;
    const JobRequest& submitted = rules_ == nullptr ? asked_.request : rules_->submitted;
    const JobRequest changed = apply_changes(submitted, asked_.request, better);
    auto options = format_changed_options(submitted, changed);
    if (!options || !is_taken_after_rules(changed, starts_now)) return std::nullopt;
    return Options{*std::move(options), waits};
}

bool SuggestedOptions::is_taken_after_rules(const JobRequest& submitted, bool starts_now) {
    if (rules_ == nullptr) return true; // the forecast was made with this very request
    if (rule_runs_left_ == 0) return false;
    --rule_runs_left_;
    // What ran before the rules, and the rules themselves, may have spent the time of the job already.
    if (context_.known.script_clock == nullptr) {
        clock_.start_at_once();
        context_.known.script_clock = &clock_;
    }
    const policy::RuleOutcome outcome = try_site_rules(rules_->policy, resolve(submitted, context_));
    if (outcome.rejected || has_failure(outcome)) return false;
    const JobRequest& request = outcome.changed ? *outcome.changed : submitted;
    if (!keeps_changes(request, rules_->submitted, submitted)) return false;
    ResolvedRequest result = resolve(request, context_);
    if (are_all_closed(result.view()) || (starts_now && waits_at_first(result, strictness_))) return false;
    return is_surely_taken(result, strictness_);
}

} // namespace qg::gate
