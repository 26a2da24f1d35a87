// SPDX-License-Identifier: GPL-2.0-or-later
//
// The answer about a TriedJob in JSON.
#include "common/or_null.hpp"
#include "policy/tried_job.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

ordered_json rule_json(const TriedPart& part, const policy::RuleInfo& rule) {
    ordered_json events = ordered_json::array();
    for (const policy::RuleEvent& event : part.rules.events)
        if (event.rule == rule.name)
            events.push_back(
                {{"kind", policy::to_string(event.kind)}, {"text", event.text}, {"detail", event.detail}});
    const auto cost = std::ranges::find(part.costs, rule.name, &policy::RuleCost::rule);
    const bool has_run = cost != part.costs.end();
    return {{"name", rule.name},
            {"file", rule.file},
            {"mode", policy::to_string(rule.mode)},
            {"has_run", has_run},
            {"instructions", has_run ? ordered_json(cost->instructions) : ordered_json()},
            {"microseconds", has_run ? ordered_json(microseconds_of(*cost)) : ordered_json()},
            {"events", events}};
}

ordered_json part_json(const TriedPart& part, const TriedJob& job) {
    const model::Forecast& forecast = part.decision.forecast;
    return {{"status", to_string(part.status())},
            {"refused_by", text_or_null(part.refused_by())},
            {"reason", text_or_null(forecast.reason)},
            {"pending_reason", text_or_null(forecast.pending_reason)},
            {"may_start", forecast.may_start},
            {"never_starts", part.never_starts()},
            {"blocked_by", part.blocked_by},
            {"not_looked_at", part.not_looked_at},
            {"unchecked", text_or_null(part.why_unchecked())},
            {"groups_not_judged", text_or_null(part.groups_not_judged)},
            {"account", text_or_null(part.account)},
            {"partition", text_or_null(part.partition)},
            {"qos", text_or_null(part.qos)},
            {"message", job.words_about(part)}};
}

} // namespace

ordered_json answer_json(const TriedJob& job) {
    ordered_json parts = ordered_json::array();
    for (const TriedPart& part : job.parts)
        parts.push_back(part_json(part, job));
    return {{"status", to_string(job.decisive().status())},
            {"never_starts", job.decisive().never_starts()},
            {"slurmctld_error", text_or_null(job.decisive().refusal_text())},
            {"user_reads", job.user_reads()},
            {"parts", parts}};
}

ordered_json to_json(const TriedJob& job, const policy::Policy& policy) {
    ordered_json answer = answer_json(job);
    for (std::size_t i = 0; i < job.parts.size(); ++i) {
        answer["parts"][i]["script"] = job.parts[i].script ? to_json(*job.parts[i].script) : ordered_json();
        ordered_json& rules = answer["parts"][i]["rules"] = ordered_json::array();
        if (job.parts[i].client_refusal) continue; // the job is not sent, and no rule is asked
        if (job.parts[i].script && job.parts[i].script->is_refused) continue; // likewise
        for (const policy::RuleInfo& rule : policy.rules())
            rules.push_back(rule_json(job.parts[i], rule));
    }
    return answer;
}

} // namespace qg::cli
