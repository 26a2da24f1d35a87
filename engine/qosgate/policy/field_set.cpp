// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/field_set.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace qg::policy {
namespace {

using model::JobDetail;
using model::JobRequest;

Error wrong_value(std::string_view name, const Value& value, std::string_view allowed) {
    return {ErrorCode::invalid_input,
            text::format("job.{} cannot be {}: write {}", name, describe(value), allowed)};
}

/// A field that rules only read, and that is a text of the request.
struct FixedText {
    std::string_view name;
    std::optional<std::string> JobRequest::*member;
};
constexpr std::array<FixedText, 6> fixed_texts{{
    {"array", &JobRequest::array},
    {"nodelist", &JobRequest::required_nodes},
    {"tres_per_job", &JobRequest::tres_per_job},
    {"tres_per_node", &JobRequest::tres_per_node},
    {"tres_per_socket", &JobRequest::tres_per_socket},
    {"tres_per_task", &JobRequest::tres_per_task},
}};

struct Flag {
    std::string_view name;
    bool JobRequest::*member;
};
constexpr std::array<Flag, 3> flags{{
    {"is_batch", &JobRequest::is_batch},
    {"overcommit", &JobRequest::overcommit},
    {"is_het_part", &JobRequest::is_het_part},
}};

/// A field that rules only read, and that is one of the request's details.
struct FixedDetail {
    std::string_view name;
    JobDetail detail;
    Value::Kind kind;
};
constexpr std::array<FixedDetail, 27> fixed_details{{
    {"excluded_nodes", JobDetail::excluded_nodes, Value::Kind::text},
    {"burst_buffer", JobDetail::burst_buffer, Value::Kind::text},
    {"network", JobDetail::network, Value::Kind::text},
    {"work_dir", JobDetail::work_dir, Value::Kind::text},
    {"std_in", JobDetail::std_in, Value::Kind::text},
    {"std_out", JobDetail::std_out, Value::Kind::text},
    {"std_err", JobDetail::std_err, Value::Kind::text},
    {"container", JobDetail::container, Value::Kind::text},
    {"extra", JobDetail::extra, Value::Kind::text},
    {"submit_host", JobDetail::submit_host, Value::Kind::text},
    {"script", JobDetail::script, Value::Kind::text},
    {"oversubscribe", JobDetail::sharing, Value::Kind::text},
    {"tasks_per_core", JobDetail::tasks_per_core, Value::Kind::integer},
    {"threads_per_core", JobDetail::threads_per_core, Value::Kind::integer},
    {"tmp_disk", JobDetail::tmp_disk, Value::Kind::integer},
    {"switches", JobDetail::switches, Value::Kind::integer},
    {"switches_wait", JobDetail::switches_wait, Value::Kind::integer},
    {"deadline", JobDetail::deadline, Value::Kind::integer},
    {"core_spec", JobDetail::core_spec, Value::Kind::integer},
    {"thread_spec", JobDetail::thread_spec, Value::Kind::integer},
    {"het_offset", JobDetail::het_offset, Value::Kind::integer},
    {"contiguous", JobDetail::contiguous, Value::Kind::flag},
    {"reboot", JobDetail::reboot, Value::Kind::flag},
    {"spread_job", JobDetail::spread_job, Value::Kind::flag},
    {"use_min_nodes", JobDetail::use_min_nodes, Value::Kind::flag},
    {"enforce_binding", JobDetail::enforce_binding, Value::Kind::flag},
    {"disable_binding", JobDetail::disable_binding, Value::Kind::flag},
}};

std::string_view describe_kind(Value::Kind kind) {
    if (kind == Value::Kind::text) return "a text";
    return kind == Value::Kind::flag ? "true or false" : "a whole number";
}

/// Sets such a field. A switch that is off is not in the request.
Result<void> set_detail(JobRequest& request, const FixedDetail& field, const Value& value) {
    if (value.kind != field.kind) return wrong_value(field.name, value, describe_kind(field.kind));
    model::JobDetails::Written written = value.integer;
    if (field.kind == Value::Kind::text) written = std::string(value.text);
    if (field.kind == Value::Kind::flag && value.integer == 0) written = std::monostate();
    request.details.set(field.detail, std::move(written));
    return {};
}

template <typename Row, std::size_t size>
const Row* find_row(const std::array<Row, size>& rows, std::string_view name) {
    const auto found = std::ranges::find(rows, name, &Row::name);
    return found == rows.end() ? nullptr : &*found;
}

} // namespace

Result<bool> set_field(JobRequest& request, const FieldSpec& field, const Value& value) {
    const auto to_result = [](const Result<void>& done) { return done ? Result<bool>(true) : done.error(); };
    if (field.write != nullptr) return to_result(write_field(field, request, value));
    if (const FixedText* text = find_row(fixed_texts, field.name)) {
        if (value.kind != Value::Kind::text) return wrong_value(field.name, value, "a text");
        if (!value.text.empty()) (request.*text->member).emplace(value.text);
        return true;
    }
    if (const Flag* flag = find_row(flags, field.name)) {
        if (value.kind != Value::Kind::flag) return wrong_value(field.name, value, "true or false");
        request.*flag->member = value.integer != 0;
        return true;
    }
    if (const FixedDetail* detail = find_row(fixed_details, field.name))
        return to_result(set_detail(request, *detail, value));
    return false;
}

} // namespace qg::policy
