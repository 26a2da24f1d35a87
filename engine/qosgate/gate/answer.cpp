// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/answer.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/request_options.hpp"
#include "qosgate/limits/explain.hpp"

#include <algorithm>
#include <iterator>

namespace qg::gate {

std::vector<std::string> refusal_lines(const Outlook& outlook, const model::AccountView& view) {
    return outlook.refusal ? outlook.refusal->lines : limits::explain_refusal(outlook.refusing, view);
}

std::vector<std::string> wait_lines(const Wait& wait, const model::JobRequest& request,
                                    const model::AccountView& view) {
    const std::string what = wait.violations.empty()
                                 ? text::format("{} ({})", wait.partition_rule, wait.reason)
                                 : limits::describe(wait.violations.front(), view, /*names_owner=*/true);
    if (!wait.is_permanent && request.starts_later()) return {};
    if (!wait.is_permanent) return {"this job will wait: " + what};
    // Of several problems the one that is for good matters.
    const auto lasting = std::find_if(wait.violations.begin(), wait.violations.end(),
                                      [](const limits::Violation& v) { return v.is_permanent(); });
    const std::string why =
        lasting == wait.violations.end() ? what : limits::describe(*lasting, view, /*names_owner=*/true);
    return {"this job can never start as it is: " + why};
}

std::vector<std::string> suggestion_lines(const Outlook& outlook, const Case& at,
                                          limits::Strictness strictness) {
    // The options of a heterogeneous job stand before its colons.
    if (at.request.is_het_part) return {};
    const auto nearest = find_nearest(outlook, at, strictness);
    const auto options = nearest ? format_changed_options(at.request, *nearest) : std::nullopt;
    if (!options) return {};
    const bool is_refused = outlook.forecast.code != model::RejectCode::none;
    return {(is_refused ? "would be accepted with: " : "could start with: ") + *options};
}

void log_judgement(model::Decision& decision, const LoggedJob& job, const Outlook& outlook,
                   std::size_t first) {
    const bool refuses = decision.reject != model::RejectCode::none;
    const bool is_accepted = outlook.forecast.code == model::RejectCode::none;
    if (decision.message.size() <= first || !(refuses || is_accepted)) return;
    const Wait* wait = outlook.wait();
    const std::string_view reason = is_accepted && wait != nullptr ? wait->reason : outlook.forecast.reason;
    decision.log.push_back(
        log_limits(job, refuses ? "refused" : "warned", reason, std::span(decision.message).subspan(first)));
}

void append_contact(std::vector<std::string>& message, const policy::Settings& settings) {
    if (!settings.contact.empty()) message.push_back("questions: " + settings.contact);
}

void append(std::vector<std::string>& message, std::vector<std::string> lines) {
    message.insert(message.end(), std::make_move_iterator(lines.begin()),
                   std::make_move_iterator(lines.end()));
}

} // namespace qg::gate
