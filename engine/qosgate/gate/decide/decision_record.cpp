// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/decide/decision_record.hpp"

#include "qosgate/base/json_text.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/objects/fields.hpp"

#include <algorithm>
#include <vector>

namespace qg::gate {

// ---- the request ---------------------------------------------------------------------------------------

namespace {

using model::JobRequest;
using policy::FieldSpec;
using policy::Value;

std::string to_json(const Value& value) {
    switch (value.kind) {
    case Value::Kind::flag: return json::flag(value.integer != 0);
    case Value::Kind::integer: return std::to_string(value.integer);
    case Value::Kind::unlimited: return "\"UNLIMITED\"";
    case Value::Kind::text: return json::quote(value.text, max_recorded_text);
    case Value::Kind::nothing:
    case Value::Kind::other: break;
    }
    return "null";
}

/// Calls `take` with each field that a record has, and its value. `error` is the field's, if it has no value.
template <typename Take>
void for_each_field(const JobRequest& request, Take take) {
    for (const FieldSpec& field : policy::job_fields()) {
        if (field.is_set == nullptr || !field.is_set(request) || !field.is_recorded) continue;
        policy::ErrorText error;
        const Value value = field.read({request, policy::no_facts()}, error);
        if (value.kind != Value::Kind::other) take(field, value, !error.empty());
    }
}

bool is_recorded_as_sent(const Value& value) {
    return value.kind != Value::Kind::text || text::printable(value.text, max_recorded_text) == value.text;
}

} // namespace

std::string fields_json(const JobRequest& request) {
    json::Members members;
    for_each_field(request, [&](const FieldSpec& field, const Value& value, bool has_failed) {
        if (!has_failed && value.kind != Value::Kind::nothing) members.add(field.name, to_json(value));
    });
    return members.object();
}

std::string other_values_json(const JobRequest& request) {
    json::Members members;
    std::vector<std::string> cut;
    for (const auto& row : other_counts)
        if (const auto& value = request.*row.member) members.add_number(row.name, *value);
    for (const auto& row : other_texts)
        if (const auto& value = request.*row.member) {
            members.add(row.name, to_json(Value::of_text(*value)));
            if (!is_recorded_as_sent(Value::of_text(*value))) cut.emplace_back(row.name);
        }
    for (const auto& row : other_flags)
        if (request.*row.member) members.add_flag(row.name, true);
    for_each_field(request, [&](const FieldSpec& field, const Value& value, bool has_failed) {
        if (has_failed || !is_recorded_as_sent(value)) cut.emplace_back(field.name);
    });
    if (!cut.empty()) members.add("cut", json::quote(cut));
    if (request.unread) members.add_text("unread", request.unread->field);
    return members.object();
}

namespace {

using model::Decision;
using model::RejectCode;

/// The mode of a rule; empty: there is no such rule.
std::string_view mode_of(const policy::Policy& policy, std::string_view rule) {
    const auto found = std::ranges::find(policy.rules(), rule, &policy::RuleInfo::name);
    return found == policy.rules().end() ? std::string_view() : policy::to_string(found->mode);
}

/// `policy` has the rules' modes; null: they are left out.
std::string events_json(const std::vector<model::DecisionEvent>& done, const policy::Policy* policy) {
    std::vector<std::string> events;
    for (const model::DecisionEvent& event : done) {
        json::Members members;
        members.add_text("effect", event.effect);
        members.add_if_any("rule", event.rule);
        members.add_if_any("file", event.file);
        if (policy != nullptr) members.add_if_any("mode", mode_of(*policy, event.rule));
        members.add_if_any("reason", event.reason);
        members.add_text("text", event.text);
        events.push_back(members.object());
    }
    return json::list(events);
}

/// What the candidate would have done otherwise.
std::string comparison_json(const Comparison& comparison) {
    std::vector<std::string> differs;
    if (comparison.outcome_differs) differs.emplace_back("outcome");
    if (!comparison.changes.empty()) differs.emplace_back("job");
    if (comparison.message_differs) differs.emplace_back("message");
    json::Members members;
    members.add_text("policy", text::format_hash(comparison.policy));
    members.add("differs", json::quote(differs));
    if (!comparison.differs()) return members.object();
    members.add_text("outcome", comparison.outcome);
    members.add("rules", json::quote(comparison.rules));
    if (!comparison.changes.empty()) members.add("changes", json::quote(comparison.changes));
    if (comparison.message_differs) members.add("message", json::quote(comparison.message));
    members.add("events", events_json(comparison.events, nullptr));
    return members.object();
}

/// "2026-11-22T04:05:06.123456Z"
std::string to_time(std::chrono::system_clock::time_point at) {
    const auto since_epoch = std::chrono::duration_cast<std::chrono::microseconds>(at.time_since_epoch());
    const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(since_epoch).count();
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    return text::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                        utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, since_epoch.count() % 1'000'000);
}

} // namespace

bool did_something(const Decision& decision) noexcept {
    return !decision.events.empty() || !decision.message.empty() || decision.reject != RejectCode::none ||
           decision.forecast.code != RejectCode::none || decision.changed.has_value();
}

std::string to_record(std::string_view id, const RecordedTime& time, const RecordedJob& job,
                      const Decision& decision, const policy::Policy& policy) {
    json::Members members;
    members.add_text("time", to_time(time.at));
    members.add_text("id", id);
    members.add_text("event", job.job_id ? "change" : "submission");
    if (job.job_id && *job.job_id != 0) members.add_number("job_id", *job.job_id);
    members.add_number("uid", job.request.user_id);
    members.add_number("submit_uid", job.request.submit_uid);
    if (decision.names) {
        members.add_if_any("user", decision.names->user);
        members.add_if_any("account", decision.names->account);
        members.add_if_any("partition", decision.names->partition);
        members.add_if_any("qos", decision.names->qos);
    } else if (job.candidate != nullptr)
        members.add_if_any("user", job.candidate->user);
    members.add_text("outcome", describe_decision(decision));
    members.add_if_any("reason", decision.forecast.reason);
    members.add_if_any("pending_reason", decision.forecast.pending_reason);
    members.add("request", fields_json(job.request));
    members.add("other_values", other_values_json(job.request));
    members.add("events", events_json(decision.events, &policy));
    members.add("message", json::quote(decision.message));
    members.add_text("limits", policy::to_string(policy.settings().limits));
    members.add_text("policy", text::format_hash(policy.hash()));
    members.add_number("microseconds", time.took.count());
    if (job.candidate != nullptr) members.add("candidate", comparison_json(*job.candidate));
    return members.object();
}

} // namespace qg::gate
