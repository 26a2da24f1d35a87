// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/decision_record.hpp"

#include "qosgate/base/json_text.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/fields.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace qg::gate {
namespace {

using model::Decision;
using model::RejectCode;
using policy::Value;

constexpr std::size_t max_text = 1000;

/// An object of JSON, or its members.
class Members {
  public:
    void add(std::string_view name, const std::string& json) {
        if (!text_.empty()) text_ += ", ";
        text_ += text::format("\"{}\": {}", name, json);
    }
    void add_text(std::string_view name, std::string_view value) { add(name, json::quote(value, max_text)); }
    /// Leaves an empty text out.
    void add_if_any(std::string_view name, std::string_view value) {
        if (!value.empty()) add_text(name, value);
    }
    [[nodiscard]] std::string object() const { return "{" + text_ + "}"; }

  private:
    std::string text_;
};

std::string to_json(const Value& value) {
    switch (value.kind) {
    case Value::Kind::flag: return value.integer != 0 ? "true" : "false";
    case Value::Kind::integer: return std::to_string(value.integer);
    case Value::Kind::unlimited: return "\"UNLIMITED\"";
    case Value::Kind::text: return json::quote(value.text, max_text);
    case Value::Kind::nothing:
    case Value::Kind::other: break;
    }
    return "null";
}

/// Fields that are long, private, or counted from others.
bool is_left_out(const policy::FieldSpec& field) {
    constexpr auto left_out = std::to_array<std::string_view>(
        {"script", "std_in", "std_out", "std_err", "nodes", "memory", "gpus", "array_tasks"});
    return std::ranges::find(left_out, field.name) != left_out.end();
}

/// What the request sets, by the names that rules use.
std::string request_json(const model::JobRequest& request) {
    Members members;
    for (const policy::FieldSpec& field : policy::job_fields()) {
        if (field.is_set == nullptr || !field.is_set(request) || is_left_out(field)) continue;
        policy::ErrorText error;
        const Value value = field.read({request, policy::no_facts()}, error);
        if (error.empty() && value.kind != Value::Kind::nothing && value.kind != Value::Kind::other)
            members.add(field.name, to_json(value));
    }
    return members.object();
}

/// The mode of a rule; empty: there is no such rule.
std::string_view mode_of(const policy::Policy& policy, std::string_view rule) {
    const auto found = std::ranges::find(policy.rules(), rule, &policy::RuleInfo::name);
    return found == policy.rules().end() ? std::string_view() : policy::to_string(found->mode);
}

/// `policy` has the rules' modes; null: they are left out.
std::string events_json(const std::vector<model::DecisionEvent>& done, const policy::Policy* policy) {
    std::vector<std::string> events;
    for (const model::DecisionEvent& event : done) {
        Members members;
        members.add_text("did", event.did);
        members.add_if_any("rule", event.rule);
        members.add_if_any("file", event.file);
        if (policy != nullptr) members.add_if_any("mode", mode_of(*policy, event.rule));
        members.add_if_any("reason", event.reason);
        members.add_text("text", event.text);
        events.push_back(members.object());
    }
    return "[" + text::join(events, ", ") + "]";
}

/// What the candidate would have done otherwise.
std::string comparison_json(const Comparison& comparison) {
    std::vector<std::string> differs;
    if (comparison.outcome_differs) differs.emplace_back("outcome");
    if (!comparison.changes.empty()) differs.emplace_back("job");
    if (comparison.message_differs) differs.emplace_back("message");
    Members members;
    members.add_text("policy", text::format("{:016x}", comparison.policy));
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
    Members members;
    members.add_text("time", to_time(time.at));
    members.add_text("id", id);
    members.add_text("event", job.job_id ? "change" : "submission");
    if (job.job_id && *job.job_id != 0) members.add("job_id", std::to_string(*job.job_id));
    members.add("uid", std::to_string(job.request.user_id));
    members.add("submit_uid", std::to_string(job.request.submit_uid));
    if (decision.names) {
        members.add_if_any("user", decision.names->user);
        members.add_if_any("account", decision.names->account);
        members.add_if_any("partition", decision.names->partition);
        members.add_if_any("qos", decision.names->qos);
    } else if (job.candidate != nullptr)
        members.add_if_any("user", job.candidate->user);
    members.add_text("outcome", outcome_of(decision));
    members.add_if_any("reason", decision.forecast.reason);
    members.add_if_any("pending_reason", decision.forecast.pending_reason);
    members.add("request", request_json(job.request));
    members.add("events", events_json(decision.events, &policy));
    members.add("message", json::quote(decision.message));
    members.add_text("limits", policy::to_string(policy.settings().limits));
    members.add_text("policy", text::format("{:016x}", policy.hash()));
    members.add("microseconds", std::to_string(time.took.count()));
    if (job.candidate != nullptr) members.add("candidate", comparison_json(*job.candidate));
    return members.object();
}

} // namespace qg::gate
