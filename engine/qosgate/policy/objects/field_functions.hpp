// SPDX-License-Identifier: GPL-2.0-or-later
//
// How fields of a job are read and written: the functions that the table of fields (field_table.cpp) names.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/job_field.hpp"
#include "qosgate/policy/objects/fields.hpp"
#include "qosgate/policy/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace qg::policy::field {

using model::JobDetail;
using model::JobRequest;

template <auto member>
bool has(const JobRequest& request) noexcept {
    return (request.*member).has_value();
}

template <JobDetail detail>
bool has_detail(const JobRequest& request) noexcept {
    return request.details.get(detail).kind != model::DetailValue::Kind::unset;
}

template <bool JobRequest::*member, bool is_true = true>
bool has_flag(const JobRequest& request) noexcept {
    return request.*member == is_true;
}

template <bool per_cpu>
bool has_memory(const JobRequest& request) noexcept {
    return request.memory && request.memory->per_cpu == per_cpu;
}

bool sets_nodes(const JobRequest& request) noexcept;
bool sets_memory(const JobRequest& request) noexcept;
/// --constraint or --prefer.
bool names_features(const JobRequest& request) noexcept;
/// --gpus and the like, in any spelling.
bool mentions_gpus(const JobRequest& request) noexcept;
/// Words behind the script.
bool has_arguments(const JobRequest& request) noexcept;
/// An environment, which only sbatch sends.
bool has_environment(const JobRequest& request) noexcept;

// ---- reading -------------------------------------------------------------------------------------------
// Each function sets `error` if there is no answer.

using Reader = Value (*)(const FieldSource&, ErrorText&) noexcept;

inline Value read_nothing(const FieldSource& /*source*/, ErrorText& /*error*/) noexcept {
    return {};
}

template <std::optional<std::string> JobRequest::*member, Reader otherwise = read_nothing>
Value read_text(const FieldSource& source, ErrorText& error) noexcept {
    const auto& own = source.request.*member;
    return own ? Value::of_text(*own) : otherwise(source, error);
}

template <std::optional<std::uint32_t> JobRequest::*member>
Value read_count(const FieldSource& source, ErrorText& /*error*/) noexcept {
    const auto& own = source.request.*member;
    return own ? Value::of_count(*own) : Value{};
}

template <std::optional<TimeLimit> JobRequest::*member>
Value read_time(const FieldSource& source, ErrorText& /*error*/) noexcept {
    const auto& own = source.request.*member;
    return own ? Value::of_time(*own) : Value{};
}

template <bool JobRequest::*member, bool is_true = true>
Value read_flag(const FieldSource& source, ErrorText& /*error*/) noexcept {
    return Value::of_flag(source.request.*member == is_true);
}

template <bool per_cpu>
Value read_memory_per(const FieldSource& source, ErrorText& /*error*/) noexcept {
    if (!has_memory<per_cpu>(source.request)) return {};
    return Value::of_count(source.request.memory->mib);
}

/// A detail of the job; one that is too long to be read is an error.
Value read_detail(const FieldSource& source, JobDetail detail, ErrorText& error) noexcept;
/// The same of a detail that is 0 or 1.
Value read_flag_detail(const FieldSource& source, JobDetail detail) noexcept;

template <JobDetail detail>
Value read_as_is(const FieldSource& source, ErrorText& error) noexcept {
    return read_detail(source, detail, error);
}
/// true, false or nil.
template <JobDetail detail>
Value read_choice(const FieldSource& source, ErrorText& /*error*/) noexcept {
    return read_flag_detail(source, detail);
}
/// true or false.
template <JobDetail detail>
Value read_switch(const FieldSource& source, ErrorText& /*error*/) noexcept {
    return Value::of_flag(read_flag_detail(source, detail).integer != 0);
}

Value default_qos(const FieldSource& source, ErrorText& error) noexcept;
Value default_account(const FieldSource& source, ErrorText& error) noexcept;
Value default_partition(const FieldSource& source, ErrorText& error) noexcept;
Value read_time_limit(const FieldSource& source, ErrorText& error) noexcept;
Value read_user(const FieldSource& source, ErrorText& error) noexcept;
Value read_uid(const FieldSource& source, ErrorText& error) noexcept;
Value read_submit_uid(const FieldSource& source, ErrorText& error) noexcept;
Value read_array_tasks(const FieldSource& source, ErrorText& error) noexcept;
Value read_nodes(const FieldSource& source, ErrorText& error) noexcept;
Value read_cpus(const FieldSource& source, ErrorText& error) noexcept;
Value read_memory(const FieldSource& source, ErrorText& error) noexcept;
Value read_gpus(const FieldSource& source, ErrorText& error) noexcept;
/// The value for each GPU; the largest, should the request name several types.
Value read_memory_per_gpu(const FieldSource& source, ErrorText& error) noexcept;
Value read_cpus_per_gpu(const FieldSource& source, ErrorText& error) noexcept;
/// --mail-type as a text.
Value read_mail_type(const FieldSource& source, ErrorText& error) noexcept;
/// Of fields that the bindings return as objects of their own.
Value read_object(const FieldSource& source, ErrorText& error) noexcept;

// ---- writing -------------------------------------------------------------------------------------------
// Each function takes nil for "unset". Errors: invalid_input, naming what is allowed.

using model::highest_count;
using model::JobDetail;
using model::JobDetails;
using model::JobRequest;

// As much as the gate reads of a submitted list.
inline constexpr std::size_t max_excluded = 4096;

/// "write ..., or nil for none".
Error not_allowed(std::string_view allowed);

/// A text without control characters; an empty one is unset.
Result<std::optional<std::string>> to_text(const Value& value);
/// A whole number in this range.
Result<std::optional<std::int64_t>> to_number(const Value& value, std::int64_t lowest, std::int64_t highest);
Result<std::optional<bool>> to_flag(const Value& value);
Result<std::optional<TimeLimit>> to_time(const Value& value);

template <std::optional<std::string> JobRequest::*member>
Result<void> write_text(JobRequest& request, const Value& value) {
    auto text = to_text(value);
    if (!text) return text.error();
    request.*member = *std::move(text);
    return {};
}

template <std::optional<std::uint32_t> JobRequest::*member, std::int64_t lowest, std::int64_t highest>
Result<void> write_count(JobRequest& request, const Value& value) {
    const auto count = to_number(value, lowest, highest);
    if (!count) return count.error();
    (request.*member).reset();
    if (*count) request.*member = static_cast<std::uint32_t>(**count);
    return {};
}

/// The CPUs of the tasks that a request names.
std::uint64_t cpus_of_tasks(const JobRequest& request) noexcept;
/// The clients send the CPUs of all tasks with each request: makes that number follow a change.
void follow_tasks(JobRequest& request, std::uint64_t cpus_before) noexcept;

template <std::optional<std::uint32_t> JobRequest::*member, std::int64_t highest>
Result<void> write_task_count(JobRequest& request, const Value& value) {
    const std::uint64_t cpus_before = cpus_of_tasks(request);
    auto written = write_count<member, 1, highest>(request, value);
    if (written) follow_tasks(request, cpus_before);
    return written;
}

/// Makes the CPUs follow, too: without --ntasks, the clients count one task for each node.
Result<void> write_min_nodes(JobRequest& request, const Value& value);

template <std::optional<TimeLimit> JobRequest::*member>
Result<void> write_time(JobRequest& request, const Value& value) {
    const auto limit = to_time(value);
    if (!limit) return limit.error();
    request.*member = *limit;
    return {};
}

template <bool JobRequest::*member>
Result<void> write_flag(JobRequest& request, const Value& value) {
    const auto flag = to_flag(value);
    if (!flag) return flag.error();
    request.*member = flag->value_or(false);
    return {};
}

/// False also takes away what asks for whole nodes in other words: --core-spec, --thread-spec.
Result<void> write_exclusive(JobRequest& request, const Value& value);

/// MiB for each node, or for each CPU; replaces every other request for memory. Nil removes only a request of
/// the same kind.
template <bool per_cpu>
Result<void> write_memory(JobRequest& request, const Value& value) {
    const auto mib = to_number(value, per_cpu ? 1 : 0, highest_count);
    if (!mib) return mib.error();
    if (*mib) {
        request.memory = model::Memory{static_cast<std::uint64_t>(**mib), per_cpu};
        request.memory_per_tres.reset();
    } else if (request.memory && request.memory->per_cpu == per_cpu)
        request.memory.reset();
    return {};
}

template <JobDetail detail>
Result<void> write_text_detail(JobRequest& request, const Value& value) {
    auto text = to_text(value);
    if (!text) return text.error();
    if constexpr (detail == JobDetail::dependency) request.has_dependency = text->has_value();
    if constexpr (detail == JobDetail::excluded_nodes) {
        if (*text && (*text)->size() > max_excluded) return not_allowed("a text of at most 4096 bytes");
        request.has_all_excluded = true;
    }
    request.details.set(detail, *text ? JobDetails::Written(**std::move(text)) : JobDetails::Written());
    return {};
}

template <JobDetail detail, std::int64_t lowest, std::int64_t highest>
Result<void> write_number_detail(JobRequest& request, const Value& value) {
    const auto number = to_number(value, lowest, highest);
    if (!number) return number.error();
    // A rule sets a begin to delay the job.
    if constexpr (detail == JobDetail::begin_time) request.begins_later = number->has_value();
    request.details.set(detail, *number ? JobDetails::Written(**number) : JobDetails::Written());
    return {};
}

/// Names with commas, as --mail-type takes them.
Result<void> write_mail_type(JobRequest& request, const Value& value);

template <JobDetail detail>
Result<void> write_flag_detail(JobRequest& request, const Value& value) {
    const auto flag = to_flag(value);
    if (!flag) return flag.error();
    request.details.set(detail,
                        *flag ? JobDetails::Written(std::int64_t{**flag ? 1 : 0}) : JobDetails::Written());
    return {};
}

// What rules only read is set as it is.

/// "write a text" of a value of another kind.
Error not_of_kind(Value::Kind kind);

template <std::optional<std::string> JobRequest::*member>
Result<void> restore_text(JobRequest& request, const Value& value) {
    if (value.kind != Value::Kind::text) return not_of_kind(Value::Kind::text);
    if (!value.text.empty()) (request.*member).emplace(value.text);
    return {};
}

template <bool JobRequest::*member>
Result<void> restore_flag(JobRequest& request, const Value& value) {
    if (value.kind != Value::Kind::flag) return not_of_kind(Value::Kind::flag);
    request.*member = value.integer != 0;
    return {};
}

/// A switch that is off is not in the request.
template <JobDetail detail, Value::Kind kind>
Result<void> restore_detail(JobRequest& request, const Value& value) {
    if (value.kind != kind) return not_of_kind(kind);
    JobDetails::Written written = value.integer;
    if (kind == Value::Kind::text) written = std::string(value.text);
    if (kind == Value::Kind::flag && value.integer == 0) written = std::monostate();
    request.details.set(detail, std::move(written));
    return {};
}

} // namespace qg::policy::field
