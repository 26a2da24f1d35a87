// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/decide/candidate_comparison.hpp"

#include "qosgate/policy/objects/fields.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace qg::gate {
namespace {

using model::Decision;
using model::DecisionEvent;
using model::JobRequest;
using model::RejectCode;

constexpr std::size_t max_events = 16;

const JobRequest& left_by(const Decision& decision, const JobRequest& request) {
    return decision.changed ? *decision.changed : request;
}

/// What makes two events the same.
auto key_of(const DecisionEvent& event) {
    return std::tie(event.rule, event.effect, event.text);
}
struct ByKey {
    bool operator()(const DecisionEvent* a, const DecisionEvent* b) const { return key_of(*a) < key_of(*b); }
};
using Events = std::set<const DecisionEvent*, ByKey>;

/// What the user or the job got of a decision. A refused job is not changed, and its changes have no events:
/// if one of two decisions refuses, those of the other are no difference.
Events effects_of(const Decision& decision, bool one_refuses) {
    using policy::EventKind;
    Events effects;
    for (const DecisionEvent& event : decision.events)
        if (event.effect != to_string(EventKind::shadow) &&
            !(one_refuses && event.effect == to_string(EventKind::changed)))
            effects.insert(&event);
    return effects;
}

bool refuses(const Decision& decision) noexcept {
    return decision.reject != RejectCode::none;
}

void add_rule(std::vector<std::string>& rules, const DecisionEvent& event) {
    if (!event.rule.empty() && std::ranges::find(rules, event.rule) == rules.end())
        rules.push_back(event.rule);
}

void explain(Comparison& comparison, const Decision& decided, const Decision& other) {
    const bool one_refuses = refuses(decided) || refuses(other);
    const Events before = effects_of(decided, one_refuses);
    const Events after = effects_of(other, one_refuses);
    for (const DecisionEvent& event : decided.events)
        if (before.contains(&event) && !after.contains(&event)) add_rule(comparison.rules, event);
    for (const DecisionEvent& event : other.events) {
        if (!after.contains(&event) || before.contains(&event)) continue;
        add_rule(comparison.rules, event);
        if (comparison.events.size() < max_events) comparison.events.push_back(event);
    }
}

} // namespace

std::string_view describe_decision(const Decision& decision) noexcept {
    if (decision.reject != RejectCode::none) return "refused";
    return decision.forecast.code != RejectCode::none ? "refused by slurmctld" : "accepted";
}

Comparison compare(const JobRequest& request, const Decision& decided, const Decision& other,
                   const policy::Policy& candidate) {
    Comparison comparison{.policy = candidate.hash(), .outcome = describe_decision(other)};
    comparison.outcome_differs = comparison.outcome != describe_decision(decided);
    comparison.message_differs = other.message != decided.message;
    if (comparison.message_differs) comparison.message = other.message;
    if (!refuses(decided) && !refuses(other) && (decided.changed || other.changed))
        comparison.changes = policy::describe_differences(left_by(decided, request), left_by(other, request));
    if (other.names) comparison.user = other.names->user;
    if (comparison.differs()) explain(comparison, decided, other);
    return comparison;
}

} // namespace qg::gate
