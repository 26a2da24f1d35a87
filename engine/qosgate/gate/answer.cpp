// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/answer.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/effort.hpp"
#include "qosgate/gate/elsewhere.hpp"
#include "qosgate/gate/forecast.hpp"
#include "qosgate/gate/no_nodes.hpp"
#include "qosgate/gate/placement.hpp"
#include "qosgate/gate/request_options.hpp"
#include "qosgate/gate/site_rules.hpp"
#include "qosgate/limits/explain.hpp"

#include <algorithm>
#include <iterator>

namespace qg::gate {

namespace {

using limits::Violation;
using model::JobRequest;

/// Whether a request, as a user would submit it, is taken in the form that the site's rules give it.
bool is_taken_after_rules(const JobRequest& submitted, const Case& at, limits::Strictness strictness) {
    if (!at.rules) return true; // it was looked ahead at as it is
    const Resolved resolved(submitted, &at.cluster, at.provider, at.release);
    const policy::Outcome outcome =
        run_site_rules(at.rules->policy, submitted, resolved, /*knows_partitions=*/true);
    if (outcome.rejected) return false;
    const JobRequest& request = outcome.changed ? *outcome.changed : submitted;
    return is_surely_taken(request, at, strictness);
}

/// All that holds a job for good, in each of its attempts.
std::vector<std::string> list_lasting(std::span<const Wait> held, const model::AccountView& view) {
    std::vector<std::string> lines;
    for (const Wait& wait : held) {
        for (const Violation& violation : wait.violations)
            if (violation.is_permanent())
                lines.push_back(limits::describe(violation, view, /*names_owner=*/true));
        for (const PartitionProblem& rule : wait.rules)
            lines.push_back(text::format("{} ({})", rule.text, rule.pending));
    }
    return lines;
}

/// Whether the job has partitions, and all of them take jobs and start none, as far as the reader may know.
bool are_all_down(const model::AccountView& view) {
    return !view.partitions.empty() &&
           std::ranges::all_of(view.partitions, [](const model::PartitionChoice& choice) {
               return choice.partition->takes_jobs && !choice.partition->starts_jobs && !choice.is_hidden;
           });
}

/// Whether a job that may start at some time waits for its partitions before anything else.
bool waits_for_partitions(const Outlook& outlook, const model::AccountView& view) {
    const Wait* wait = outlook.wait();
    return (wait == nullptr || !wait->is_permanent) && are_all_down(view);
}

/// The Reason with which a job is refused, or which an accepted one has.
std::string_view reason_of(const Outlook& outlook, const model::AccountView& view) {
    if (outlook.forecast.code != model::RejectCode::none) return outlook.forecast.reason;
    if (waits_for_partitions(outlook, view)) return "PartitionDown";
    const Wait* wait = outlook.wait();
    return wait != nullptr ? wait->reason : outlook.forecast.reason;
}

/// "what: the one line", or "what of_several (2 problems):" and the lines. Nothing without lines.
std::vector<std::string> under_headline(std::string_view what, std::string_view of_several,
                                        std::string_view noun, std::vector<std::string> lines) {
    if (lines.empty()) return {};
    const std::size_t all = lines.size();
    lines = lines_once(std::move(lines), all);
    if (lines.size() == 1) return {text::format("{}: {}", what, lines.front())};
    std::vector<std::string> result{text::format("{}{} ({} {}):", what, of_several, lines.size(), noun)};
    for (const std::string& line : lines_once(std::move(lines), most_problem_lines - 1))
        result.push_back("  " + line);
    return result;
}

/// "QOS small"
std::string describe_field(std::string_view field, const model::JobRequest& job) {
    const auto name = [](std::string_view what, const std::optional<std::string>& value) {
        return value ? text::format("{} {}", what, text::printable(*value, 64)) : text::format("no {}", what);
    };
    if (field == "qos") return name("QOS", job.qos);
    if (field == "partition") return name("partition", job.partition);
    if (field == "account") return name("account", job.account);
    return job.time_limit ? "time limit " + units::format_minutes(*job.time_limit) : "no time limit";
}

} // namespace

std::vector<std::string> refusal_lines(const Outlook& outlook, const model::AccountView& view) {
    return outlook.refusal ? outlook.refusal->lines : limits::explain_refusal(outlook.refusing, view);
}

std::vector<std::string> wait_lines(const Outlook& outlook, const JobRequest& request,
                                    const model::AccountView& view) {
    const Wait* wait = outlook.wait();
    if (wait != nullptr && wait->is_permanent) {
        const bool is_in_any = outlook.held.size() > 1 && view.partitions.size() > 1;
        return under_headline("this job can never start as it is",
                              is_in_any ? " in any of its partitions" : "", "problems",
                              list_lasting(outlook.held, view));
    }
    if (request.starts_later()) return {};
    std::vector<std::string> lines;
    if (waits_for_partitions(outlook, view))
        lines.push_back(
            text::format("partition {} is down (PartitionDown)", view.partitions.front().partition->name));
    bool is_certain = !lines.empty();
    // The parts of a heterogeneous job are refused together where limits are strict, and start together.
    if (wait != nullptr && !request.is_het_part) {
        // Of several limits those matter that are certain, if any are.
        is_certain = is_certain || std::ranges::any_of(wait->violations, &Violation::is_certain);
        for (const Violation& violation : wait->violations)
            if (violation.is_certain() || !is_certain)
                lines.push_back(limits::describe(violation, view, /*names_owner=*/true));
    }
    return under_headline(is_certain ? "this job will wait" : "this job may wait", "", "reasons",
                          std::move(lines));
}

std::vector<std::string> suggestion_lines(const Outlook& outlook, const Case& at,
                                          limits::Strictness strictness) {
    // The options of a heterogeneous job stand before its colons; and what whole nodes come to is not known.
    if (at.request.is_het_part || at.request.exclusive || !is_short(at.request, at.resolved)) return {};
    // What would be accepted in a hidden partition tells its limits and lists.
    if (has_hidden_partition(at.resolved.view())) return {};
    const bool is_refused = outlook.forecast.code != model::RejectCode::none;
    if (at.rules && at.rules->has_failures) return {};
    const std::string head = is_refused ? "would be accepted with: " : "could start with: ";
    std::vector<std::string> lines;
    for (const auto find : {find_nearest, find_elsewhere}) {
        const auto better = find(outlook, at, strictness);
        if (!better || may_get_no_nodes(*better, at.release)) continue;
        const JobRequest& submitted = at.rules ? at.rules->submitted : at.request;
        const JobRequest changed = apply_changes(submitted, at.request, *better);
        const auto options = format_changed_options(submitted, changed);
        if (options && is_taken_after_rules(changed, at, strictness)) lines.push_back(head + *options);
        if (at.rules) break; // they have taken their time
    }
    return lines;
}

void log_judgement(model::Decision& decision, const LoggedJob& job, const Outlook& outlook,
                   std::size_t first) {
    if (decision.message.size() <= first) return;
    const bool refuses = decision.reject != model::RejectCode::none;
    decision.log.push_back(log_limits(job, refuses ? "refused" : "warned", reason_of(outlook, job.view),
                                      std::span(decision.message).subspan(first)));
}

std::optional<std::string> blame_rules(std::span<const policy::FieldWriter> writers,
                                       const model::JobRequest& changed) {
    if (writers.empty()) return std::nullopt;
    std::vector<std::string> parts;
    for (const policy::FieldWriter& writer : writers)
        parts.push_back(text::format("{} by rule '{}'", describe_field(writer.field, changed), writer.rule));
    return "set by the site's rules, not by this request: " + text::join(parts, ", ");
}

void append_contact(std::vector<std::string>& message, const policy::Settings& settings) {
    if (!settings.contact.empty()) message.push_back("questions: " + settings.contact);
}

void append(std::vector<std::string>& message, std::vector<std::string> lines) {
    message.insert(message.end(), std::make_move_iterator(lines.begin()),
                   std::make_move_iterator(lines.end()));
}

} // namespace qg::gate
