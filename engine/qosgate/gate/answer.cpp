// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/answer.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/explain.hpp"

#include <algorithm>
#include <iterator>

namespace qg::gate {
namespace {

using limits::Strictness;

std::optional<std::string> nearest(const Case& at, Strictness strictness, Goal goal) {
    return find_nearest(at.request, at.resolved.view(), at.cluster, at.release, strictness, goal);
}

} // namespace

std::vector<std::string> refusal_lines(const Outlook& outlook, const Case& at, Strictness strictness) {
    if (outlook.refusal) return outlook.refusal->lines;
    auto lines = limits::explain_refusal(outlook.refusing, at.resolved.view());
    if (const auto options = nearest(at, strictness, Goal::accepted))
        lines.push_back("would be accepted with: " + *options);
    return lines;
}

std::vector<std::string> wait_lines(const Wait& wait, const Case& at) {
    const std::string what =
        wait.violations.empty()
            ? text::format("{} ({})", wait.partition_rule, wait.reason)
            : limits::describe(wait.violations.front(), at.resolved.view(), /*names_owner=*/true);
    if (!wait.is_permanent && at.request.starts_later()) return {};
    if (!wait.is_permanent) return {"this job will wait: " + what};
    // Of several problems the one that is for good matters.
    const auto lasting = std::find_if(wait.violations.begin(), wait.violations.end(),
                                      [](const limits::Violation& v) { return v.is_permanent(); });
    const std::string why = lasting == wait.violations.end()
                                ? what
                                : limits::describe(*lasting, at.resolved.view(), /*names_owner=*/true);
    std::vector<std::string> lines{"this job can never start as it is: " + why};
    if (const auto options = nearest(at, Strictness::as_configured, Goal::can_start))
        lines.push_back("could start with: " + *options);
    return lines;
}

void append_contact(std::vector<std::string>& message, const policy::Settings& settings) {
    if (!settings.contact.empty()) message.push_back("questions: " + settings.contact);
}

void append(std::vector<std::string>& message, std::vector<std::string> lines) {
    message.insert(message.end(), std::make_move_iterator(lines.begin()),
                   std::make_move_iterator(lines.end()));
}

} // namespace qg::gate
