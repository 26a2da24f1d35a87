// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/script/script_answer.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/objects/fields.hpp"
#include "qosgate/policy/settings.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace qg::script {

ScriptAnswer answer_of_script(const policy::compat::SiteScript& script,
                              const policy::compat::ScriptOutcome& outcome,
                              const std::vector<std::string>& changes) {
    using policy::EventKind;
    ScriptAnswer answer;
    const auto add = [&](EventKind kind, std::string text, std::string detail = {}) {
        const std::string name(policy::compat::script_file_name);
        answer.events.push_back({name, name, kind, std::move(text), std::move(detail)});
    };
    const std::string message = outcome.message.value_or("");
    const auto lines = text::split(message, '\n');
    const std::string said =
        text::printable(text::join(std::vector<std::string>(lines.begin(), lines.end()), " / "), 600);
    const bool is_refused =
        outcome.failure ? !outcome.passes_on_failure && (outcome.is_up_to_sender || !script.allows_on_error())
                        : outcome.code != SLURM_SUCCESS;
    if (!is_refused)
        for (const std::string& change : changes)
            add(EventKind::changed, change);
    if (outcome.failure) {
        add(EventKind::error,
            outcome.passes_on_failure
                ? text::format("{}; ignored, because an operator asks", outcome.failure->message)
            : outcome.is_up_to_sender
                ? text::format("{}; rejected, whatever compat_on_error says", outcome.failure->message)
                : text::format("{}; {} because of compat_on_error = \"{}\"", outcome.failure->message,
                               is_refused ? "rejected" : "ignored", is_refused ? "deny" : "allow"),
            text::printable(outcome.failure->traceback, 1000));
        if (is_refused) {
            answer.code = ESLURM_ACCESS_DENIED;
            answer.message.push_back(script.describe_failure(*outcome.failure));
        }
    } else if (is_refused) {
        answer.code = outcome.code;
        std::string contact = policy::contact_line(script.settings());
        if (!contact.empty() && std::ranges::find(lines, std::string_view(contact)) == lines.end())
            answer.message.push_back(std::move(contact));
        add(EventKind::rejected,
            text::format("returned {}{}{}", outcome.code, said.empty() ? "" : ": ", said));
    } else if (!said.empty()) {
        add(EventKind::noted, said);
    }
    return answer;
}

std::vector<policy::FieldWriter> written_fields(const model::JobRequest& before,
                                                const model::JobRequest& after) {
    std::vector<policy::FieldWriter> written;
    for (const policy::FieldSpec* field : policy::changed_by_rule(before, after, policy::no_facts()))
        written.push_back({field->name, std::string(policy::compat::script_file_name),
                           policy::describe_field(*field, after, policy::no_facts())});
    return written;
}

} // namespace qg::script
