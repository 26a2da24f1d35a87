// SPDX-License-Identifier: GPL-2.0-or-later
#include "script_verdict.hpp"

#include "qosgate/base/text.hpp"

#include <iterator>
#include <string_view>
#include <utility>

namespace qg::plugin {

ScriptVerdict judge_script(const policy::compat::SiteScript& script,
                           const policy::compat::ScriptOutcome& outcome,
                           const std::vector<std::string>& changes) {
    using policy::EventKind;
    ScriptVerdict verdict;
    const auto add = [&](EventKind kind, std::string text, std::string detail = {}) {
        const std::string name(policy::compat::script_file_name);
        verdict.events.push_back({name, name, kind, std::move(text), std::move(detail)});
    };
    const std::string said = text::printable(outcome.message.value_or(""), 600);
    const bool is_refused = outcome.failure ? outcome.is_up_to_sender || !script.allows_on_error()
                                            : outcome.code != SLURM_SUCCESS;
    if (!is_refused)
        for (const std::string& change : changes)
            add(EventKind::changed, change);
    if (outcome.failure) {
        add(EventKind::error,
            outcome.is_up_to_sender
                ? text::format("{}; rejected, whatever compat_on_error says", outcome.failure->message)
                : text::format("{}; {} because of compat_on_error = \"{}\"", outcome.failure->message,
                               is_refused ? "rejected" : "ignored", is_refused ? "deny" : "allow"),
            text::printable(outcome.failure->traceback, 1000));
        if (is_refused) {
            verdict.code = ESLURM_ACCESS_DENIED;
            verdict.message.push_back(script.describe_failure(*outcome.failure));
        }
    } else if (is_refused) {
        verdict.code = outcome.code;
        add(EventKind::rejected,
            text::format("returned {}{}{}", outcome.code, said.empty() ? "" : ": ", said));
    } else if (!said.empty()) {
        add(EventKind::noted, said);
    }
    return verdict;
}

model::Decision describe_change(std::span<const policy::RuleEvent> events,
                                std::optional<std::uint32_t> job_id, std::uint32_t submit_uid) {
    model::Decision decision;
    for (const policy::RuleEvent& event : events) {
        const bool is_failure = event.kind == policy::EventKind::error;
        const std::string_view did = is_failure ? "failed" : to_string(event.kind);
        decision.log.push_back({is_failure ? LogLevel::error : LogLevel::info,
                                text::format("{} change{} by={}: rule '{}' ({}): {}", did,
                                             job_id ? text::format(" jobid={}", *job_id) : "", submit_uid,
                                             event.rule, event.file, event.text)});
        decision.events.push_back({did, event.rule, event.file, "", event.text});
    }
    return decision;
}

void put_before(model::Decision& decision, model::Decision of_script) {
    const auto put = [](auto& to, auto& from) {
        to.insert(to.begin(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    put(decision.log, of_script.log);
    put(decision.events, of_script.events);
    if (!decision.names) decision.names = std::move(of_script.names);
}

} // namespace qg::plugin
