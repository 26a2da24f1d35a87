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
    if (!wait.is_permanent && request.starts_later()) return {};
    // Of several problems the one matters that is for good, then one that is certain.
    const auto& all = wait.violations;
    auto first = std::ranges::find_if(all, &limits::Violation::is_permanent);
    if (first == all.end()) first = std::ranges::find_if(all, &limits::Violation::is_certain);
    const bool is_certain = all.empty() || first != all.end();
    if (first == all.end()) first = all.begin();
    const std::string what = all.empty() ? text::format("{} ({})", wait.partition_rule, wait.reason)
                                         : limits::describe(*first, view, /*names_owner=*/true);
    if (wait.is_permanent) return {"this job can never start as it is: " + what};
    return {(is_certain ? "this job will wait: " : "this job may wait: ") + what};
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
