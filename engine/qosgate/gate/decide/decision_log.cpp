// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/decide/decision_log.hpp"

#include "qosgate/base/text.hpp"

#include <utility>

namespace qg::gate {
namespace {

using model::DecisionEvent;
using model::JobNames;

constexpr std::size_t max_value_length = 64;
constexpr std::size_t max_line_length = 1500;

/// " key=value"; empty for an empty value. Anything but one plain word is quoted, so that a value cannot look
/// like another field.
std::string field(std::string_view key, std::string_view value) {
    if (value.empty()) return {};
    const std::string shown = text::printable(value, max_value_length);
    const bool is_word = shown.find_first_of(" :;='\"\\") == std::string::npos;
    return text::format(" {}={}", key, is_word ? shown : text::quoted(value, max_value_length));
}

std::string_view first_of(const std::optional<std::string>& asked, std::string_view otherwise) {
    return asked ? std::string_view(*asked) : otherwise;
}

std::string_view partition_of(const LoggedJob& job) {
    const auto& partitions = job.view.partitions;
    return first_of(job.request.partition, partitions.empty()
                                               ? std::string_view()
                                               : std::string_view(partitions.front().partition->name));
}

JobNames names_of(const LoggedJob& job) {
    return {.user = job.view.user_name,
            .account = std::string(first_of(job.request.account, job.view.account)),
            .partition = std::string(partition_of(job)),
            .qos = std::string(first_of(job.request.qos, job.view.job_qos.name))};
}

std::string describe(const LoggedJob& job, const JobNames& names) {
    const model::JobRequest& request = job.request;
    std::string text = job.change == nullptr ? "" : " change";
    if (job.change != nullptr && job.change->job_id != 0)
        text += text::format(" jobid={}", job.change->job_id);
    if (request.submit_uid != request.user_id) text += text::format(" by={}", request.submit_uid);
    if (names.user.empty())
        text += text::format(" user={}", request.user_id);
    else
        text += text::format(" user={}({})", text::printable(names.user, max_value_length), request.user_id);
    text += field("job", first_of(request.name, ""));
    text += field("account", names.account);
    text += field("partition", names.partition);
    text += field("qos", names.qos);
    return text;
}

/// The result for the job.
std::string_view done_by(policy::EventKind kind) noexcept {
    return kind == policy::EventKind::error ? "failed" : policy::to_string(kind);
}

/// The begin of a line: "refused user=ana(1000) job=wrap ...".
std::string begin_line(model::Decision& decision, std::string_view effect, const LoggedJob& job) {
    decision.names = names_of(job);
    return text::format("{}{}:", effect, describe(job, *decision.names));
}

void add(model::Decision& decision, LogLevel level, const std::string& line, DecisionEvent event) {
    decision.log.push_back({level, text::printable(line, max_line_length)});
    decision.events.push_back(std::move(event));
}

} // namespace

void log_rule(model::Decision& decision, const LoggedJob& job, const policy::RuleEvent& event) {
    const std::string_view effect = done_by(event.kind);
    std::string line = text::format("{} rule '{}' ({}): {}", begin_line(decision, effect, job), event.rule,
                                    event.file, event.text);
    if (!event.detail.empty()) line += text::format(" [{}]", event.detail);
    const bool is_failure = event.kind == policy::EventKind::error;
    add(decision, is_failure ? LogLevel::error : LogLevel::info, line,
        {.effect = effect, .rule = event.rule, .file = event.file, .reason = "", .text = event.text});
}

void log_limits(model::Decision& decision, const LoggedJob& job, std::string_view effect,
                std::string_view reason, std::span<const std::string> message, std::string_view outcome) {
    std::string text;
    for (const std::string& part : message) {
        if (!text.empty()) text += text.ends_with(':') ? " " : "; ";
        text += text::trim(part);
    }
    std::string line = begin_line(decision, effect, job);
    if (!reason.empty()) line += text::format(" {}:", reason);
    add(decision, LogLevel::info, text::format("{} {}", line, text),
        {.effect = effect,
         .rule = "",
         .file = "",
         .reason = std::string(reason),
         .text = text,
         .outcome = outcome});
}

} // namespace qg::gate
