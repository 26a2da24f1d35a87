// SPDX-License-Identifier: GPL-2.0-or-later
//
// How fields of a job are read: the functions that the table of fields (field_table.cpp) names. Each sets
// `error` if there is no answer.
#pragma once

#include "qosgate/policy/objects/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>

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

} // namespace qg::policy::field
