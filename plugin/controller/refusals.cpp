// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/refusals.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer/answer.hpp"
#include "qosgate/policy/check/unknown_name.hpp"

#include <span>

namespace qg::plugin {
namespace {

/// Why the rules are not known.
std::string why_not_loaded(const policy::StoreStatus& status) {
    return status.last_error ? status.last_error->message : status.directory.string();
}

/// The line for the log.
std::string for_log(const policy::StoreStatus& status) {
    return "no rules are loaded: " + why_not_loaded(status);
}

model::Decision refuse(const policy::StoreStatus& status) {
    model::Decision decision;
    decision.reject = model::RejectCode::access_denied;
    decision.message = {
        "This job was not accepted because the site's rules are not loaded: " +
        text::printable(policy::without_lists(why_not_loaded(status)), 600) +
        (status.is_reading ? "; please try again in a moment" : "; please tell your administrators")};
    return decision;
}

} // namespace

model::Decision refuse_job(const policy::StoreStatus& status, const gate::LoggedJob& job) {
    const std::string why = for_log(status);
    model::Decision decision = refuse(status);
    gate::log_limits(decision, job, "refused", "", std::span(&why, 1));
    decision.log.back().level = LogLevel::error;
    return decision;
}

model::Decision refuse_change(const policy::StoreStatus& status, std::optional<std::uint32_t> job_id,
                              std::uint32_t submit_uid) {
    model::Decision decision = refuse(status);
    decision.log = {{LogLevel::error, text::format("refused change{} by={}: {}",
                                                   job_id ? text::format(" jobid={}", *job_id) : "",
                                                   submit_uid, for_log(status))}};
    return decision;
}

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
