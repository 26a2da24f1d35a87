// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/decide/site_rules.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/partitions/in_partition.hpp"
#include "qosgate/gate/rules/read_job.hpp"
#include "qosgate/gate/rules/update_rules.hpp"
#include "qosgate/gate/size/gres_request.hpp"
#include "qosgate/policy/objects/fields.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace qg::gate {
namespace {

using model::JobRequest;

[[gnu::cold]] policy::RuleOutcome refused(std::string why) {
    policy::RuleOutcome outcome;
    outcome.rejected = true;
    outcome.reject_message = std::move(why);
    return outcome;
}

[[gnu::cold]] policy::RuleOutcome refuse_repeated_gres(const std::string& gres) {
    return refused(
        text::format("this job names {} twice in one list, and slurmctld gives it what the last one "
                     "says; name each gres once",
                     text::printable(gres, 64)));
}

policy::RuleOutcome run_at_change(const policy::Policy& policy, const JobRequest& shown,
                                  const ResolvedRequest& after, const ResolvedRequest* before,
                                  model::UpdateParts parts, bool is_trial) {
    if (const auto twice = find_repeated_gres(after.request)) return refuse_repeated_gres(*twice);
    const auto original = with_undivided_memory(after.request, shown, after.context.cluster);
    ReadJob job(after, policy::JobEvent::modify, /*own_qos=*/nullptr, original ? &*original : nullptr);
    if (is_trial) job.mark_as_trial();
    if (before == nullptr) return policy.run_at_change(job.request(), job.facts(), nullptr, parts);
    ReadJob old_job(*before, policy::JobEvent::modify);
    const policy::JobBefore job_before{old_job.request(), old_job.facts()};
    return policy.run_at_change(job.request(), job.facts(), &job_before, parts);
}

/// Whether an event led to a rejection.
bool is_of_rejection(const policy::RuleEvent& event) {
    return event.kind == policy::EventKind::rejected || event.kind == policy::EventKind::error;
}

/// Makes the texts of a rejection say that they are about a part of the change.
[[gnu::cold]] void tell_of_part(policy::RuleOutcome& outcome, const model::JobUpdate& update,
                                const model::StoredPart& part) {
    const auto changes = policy::describe_differences(update.before, part.after);
    const std::string stays = changes.empty() ? "the rest" : text::join(changes, "; ");
    std::erase_if(outcome.events, [](const policy::RuleEvent& event) { return !is_of_rejection(event); });
    for (policy::RuleEvent& event : outcome.events)
        event.text =
            text::format("if slurmctld refuses {} and keeps {}: {}", part.refused, stays, event.text);
    outcome.reject_message =
        text::format("slurmctld may refuse {} and keep the rest of this change ({}), which is not allowed "
                     "alone:\n{}\nchange {} in a command of its own",
                     part.refused, stays, outcome.reject_message, part.refused);
}

} // namespace

policy::RuleOutcome run_site_rules(const policy::Policy& policy, const ResolvedRequest& submitted,
                                   std::vector<policy::RuleCost>* costs, std::optional<model::Qos>* own_qos) {
    if (const auto twice = find_repeated_gres(submitted.request)) [[unlikely]]
        return refuse_repeated_gres(*twice);
    ReadJob job(submitted, policy::JobEvent::submit, own_qos);
    job.measure(costs);
    if (names_no_partition(submitted)) [[unlikely]]
        job.mark_as_trial();
    policy::RuleOutcome outcome = policy.run(job.request(), job.facts());
    if (own_qos != nullptr) policy.note_own_qos(job.was_asked_for_own_qos());
    if (!outcome.rejected) job.restore(outcome.changed);
    return outcome;
}

[[gnu::cold]] policy::RuleOutcome try_site_rules(const policy::Policy& policy,
                                                 const ResolvedRequest& submitted) {
    if (const auto twice = find_repeated_gres(submitted.request)) return refuse_repeated_gres(*twice);
    ReadJob job(submitted, policy::JobEvent::submit);
    job.mark_as_trial();
    policy::RuleOutcome outcome = policy.run(job.request(), job.facts());
    if (!outcome.rejected) job.restore(outcome.changed);
    return outcome;
}

bool has_failure(const policy::RuleOutcome& outcome) {
    return std::ranges::any_of(outcome.events, [](const policy::RuleEvent& event) {
        return event.kind == policy::EventKind::error;
    });
}

policy::RuleOutcome run_site_rules_at_change(const policy::Policy& policy, const ResolvedRequest& after,
                                             const ResolvedRequest* before, const model::JobUpdate& update) {
    if (const std::string_view why = why_gres_are_hidden(update, after.context.release); !why.empty())
        return refused(std::string(why));
    return run_at_change(policy, update.before, after, before, update.parts,
                         /*is_trial=*/names_no_partition(after));
}

policy::RuleOutcome run_site_rules_at_part(const policy::Policy& policy, const model::JobUpdate& update,
                                           const model::StoredPart& part, const ResolvedRequest& after,
                                           const ResolvedRequest* before) {
    policy::RuleOutcome outcome =
        run_at_change(policy, update.before, after, before, part.parts, /*is_trial=*/true);
    if (outcome.rejected) tell_of_part(outcome, update, part);
    return outcome;
}

} // namespace qg::gate
