// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/field_write.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/units.hpp"

#include <algorithm>

namespace qg::policy::field {

Error not_allowed(std::string_view allowed) {
    return {ErrorCode::invalid_input, text::format("write {}, or nil for none", allowed)};
}

Error not_of_kind(Value::Kind kind) {
    const bool is_text = kind == Value::Kind::text;
    const std::string_view allowed = is_text                     ? "a text"
                                     : kind == Value::Kind::flag ? "true or false"
                                                                 : "a whole number";
    return {ErrorCode::invalid_input, text::format("write {}", allowed)};
}

Result<std::optional<std::string>> to_text(const Value& value) {
    const bool has_control = std::any_of(value.text.begin(), value.text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (value.kind == Value::Kind::text && !has_control && !value.text.empty())
        return std::optional(std::string(value.text));
    const bool is_unset = value.kind == Value::Kind::nothing || value.kind == Value::Kind::text;
    if (!is_unset || has_control) return not_allowed("a text without control characters");
    return std::optional<std::string>();
}

Result<std::optional<std::int64_t>> to_number(const Value& value, std::int64_t lowest, std::int64_t highest) {
    if (value.kind == Value::Kind::nothing) return std::optional<std::int64_t>();
    if (value.kind != Value::Kind::integer || value.integer < lowest || value.integer > highest)
        return not_allowed(text::format("a whole number from {} to {}", lowest, highest));
    return std::optional(value.integer);
}

Result<std::optional<bool>> to_flag(const Value& value) {
    if (value.kind == Value::Kind::nothing) return std::optional<bool>();
    if (value.kind != Value::Kind::flag) return not_allowed("true or false");
    return std::optional(value.integer != 0);
}

Result<std::optional<TimeLimit>> to_time(const Value& value) {
    constexpr std::string_view allowed =
        "minutes from 1 on, a time like \"8:00:00\", or math.huge for no limit";
    switch (value.kind) {
    case Value::Kind::nothing: return std::optional<TimeLimit>();
    case Value::Kind::unlimited: return std::optional(TimeLimit::unlimited());
    case Value::Kind::integer:
        if (value.integer < 1 || value.integer > highest_count) return not_allowed(allowed);
        return std::optional(TimeLimit{static_cast<std::uint32_t>(value.integer)});
    case Value::Kind::text: {
        const auto parsed = units::parse_minutes(value.text);
        if (!parsed || parsed->minutes == 0) return not_allowed(allowed);
        return std::optional(*parsed);
    }
    case Value::Kind::flag:
    case Value::Kind::other: break;
    }
    return not_allowed(allowed);
}

std::uint64_t cpus_of_tasks(const JobRequest& request) noexcept {
    const std::uint64_t tasks = request.tasks.value_or(request.min_nodes.value_or(1));
    return tasks * request.cpus_of_task();
}

void follow_tasks(JobRequest& request, std::uint64_t cpus_before) noexcept {
    const std::uint64_t cpus = std::min<std::uint64_t>(cpus_of_tasks(request), highest_count);
    if (!request.min_cpus || request.overcommit) return;
    if (*request.min_cpus == cpus_before || *request.min_cpus < cpus)
        request.min_cpus = static_cast<std::uint32_t>(cpus);
}

Result<void> write_exclusive(JobRequest& request, const Value& value) {
    auto written = write_flag<&JobRequest::exclusive>(request, value);
    if (!written || request.exclusive) return written;
    for (const JobDetail detail : {JobDetail::core_spec, JobDetail::thread_spec})
        if (request.details.get(detail).kind != model::DetailValue::Kind::unset)
            request.details.set(detail, JobDetails::Written());
    return written;
}

Result<void> write_min_nodes(JobRequest& request, const Value& value) {
    const std::uint64_t cpus_before = cpus_of_tasks(request);
    const std::uint32_t nodes_before = request.min_nodes.value_or(1);
    auto written = write_count<&JobRequest::min_nodes, 1, highest_count>(request, value);
    if (!written) return written;
    follow_tasks(request, cpus_before);
    // With --overcommit they send a CPU for each node, whatever the tasks.
    if (request.overcommit && request.min_cpus == nodes_before)
        request.min_cpus = request.min_nodes.value_or(1);
    return written;
}

} // namespace qg::policy::field
