// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/script_effect.hpp"

#include "qosgate/base/text.hpp"

#include <iterator>
#include <string_view>
#include <utility>

namespace qg::plugin {

ScriptEffect::~ScriptEffect() = default;

model::Decision describe_change(std::span<const policy::RuleEvent> events,
                                std::optional<std::uint32_t> job_id, std::uint32_t submit_uid) {
    model::Decision decision;
    for (const policy::RuleEvent& event : events) {
        const bool is_failure = event.kind == policy::EventKind::error;
        const std::string_view effect = is_failure ? "failed" : to_string(event.kind);
        decision.log.push_back({is_failure ? LogLevel::error : LogLevel::info,
                                text::format("{} change{} by={}: rule '{}' ({}): {}", effect,
                                             job_id ? text::format(" jobid={}", *job_id) : "", submit_uid,
                                             event.rule, event.file, event.text)});
        decision.events.push_back({effect, event.rule, event.file, "", event.text});
    }
    return decision;
}

void prepend_script(model::Decision& decision, model::Decision of_script, std::span<const std::string> said) {
    const auto put = [](auto& to, auto& from) {
        to.insert(to.begin(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    put(decision.log, of_script.log);
    put(decision.events, of_script.events);
    if (!decision.names) decision.names = std::move(of_script.names);
    decision.message.insert(decision.message.begin(), said.begin(), said.end());
}

} // namespace qg::plugin
