// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/decision_log.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

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

std::string describe(const LoggedJob& job) {
    const model::JobRequest& request = job.request;
    std::string text = job.change == nullptr ? "" : " change";
    if (job.change != nullptr && job.change->job_id != 0)
        text += text::format(" jobid={}", job.change->job_id);
    if (request.submit_uid != request.user_id) text += text::format(" by={}", request.submit_uid);
    if (job.view.user_name.empty())
        text += text::format(" user={}", request.user_id);
    else
        text += text::format(" user={}({})", text::printable(job.view.user_name, max_value_length),
                             request.user_id);
    text += field("job", first_of(request.name, ""));
    text += field("account", first_of(request.account, job.view.account));
    text += field("partition", partition_of(job));
    text += field("qos", first_of(request.qos, job.view.job_qos.name));
    return text;
}

/// The result for the job.
std::string_view done_by(policy::EventKind kind) noexcept {
    return kind == policy::EventKind::error ? "failed" : policy::to_string(kind);
}

} // namespace

LogLine log_rule(const LoggedJob& job, const policy::RuleEvent& event) {
    std::string line = text::format("{}{}: rule '{}' ({}): {}", done_by(event.kind), describe(job),
                                    event.rule, event.file, event.text);
    if (!event.detail.empty()) line += text::format(" [{}]", event.detail);
    const bool is_failure = event.kind == policy::EventKind::error;
    return {is_failure ? LogLevel::error : LogLevel::info, text::printable(line, max_line_length)};
}

LogLine log_limits(const LoggedJob& job, std::string_view done, std::string_view reason,
                   std::span<const std::string> message) {
    std::string line = text::format("{}{}:", done, describe(job));
    if (!reason.empty()) line += text::format(" {}:", reason);
    for (const std::string& part : message) {
        line += text::format(" {}", text::trim(part));
        if (!line.ends_with(':')) line += ';';
    }
    line.pop_back();
    return {LogLevel::info, text::printable(line, max_line_length)};
}

} // namespace qg::gate
