// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/unreadable_change.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer/answer.hpp"

namespace qg::plugin {

model::Decision answer_unreadable_change(const UnreadableChange& change, const policy::Policy& policy) {
    const bool may_break_limits =
        policy.settings().limits == policy::Level::enforce && change.parts.has(model::UpdatePart::limits);
    const bool is_refused =
        !change.by_operator &&
        (may_break_limits || policy.has_enforcing_rule_at(policy::JobEvent::modify, change.parts));
    model::Decision decision;
    if (is_refused) {
        decision.reject = model::RejectCode::access_denied;
        decision.message = {
            text::format("this change cannot be checked ({}); the site's rules require a check", change.why)};
        gate::append_contact(decision.message, policy.settings());
    }
    const std::string job_id = change.job_id ? text::format(" jobid={}", *change.job_id) : std::string();
    decision.log = {
        {LogLevel::info, text::format("{} change{} by={}: {}", is_refused ? "refused" : "unchecked", job_id,
                                      change.submit_uid, change.why)}};
    return decision;
}

} // namespace qg::plugin
