// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/decide/recorded_request.hpp"

#include "qosgate/base/json_text.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/objects/fields.hpp"

#include <vector>

namespace qg::gate {
namespace {

using model::JobRequest;
using policy::FieldSpec;
using policy::Value;

std::string to_json(const Value& value) {
    switch (value.kind) {
    case Value::Kind::flag: return json::flag(value.integer != 0);
    case Value::Kind::integer: return std::to_string(value.integer);
    case Value::Kind::unlimited: return "\"UNLIMITED\"";
    case Value::Kind::text: return json::quote(value.text, max_recorded_text);
    case Value::Kind::nothing:
    case Value::Kind::other: break;
    }
    return "null";
}

/// Calls `take` with each field that a record has, and its value. `error` is the field's, if it has no value.
template <typename Take>
void for_each_field(const JobRequest& request, Take take) {
    for (const FieldSpec& field : policy::job_fields()) {
        if (field.is_set == nullptr || !field.is_set(request) || !field.is_recorded) continue;
        policy::ErrorText error;
        const Value value = field.read({request, policy::no_facts()}, error);
        if (value.kind != Value::Kind::other) take(field, value, !error.empty());
    }
}

bool is_recorded_as_sent(const Value& value) {
    return value.kind != Value::Kind::text || text::printable(value.text, max_recorded_text) == value.text;
}

} // namespace

std::string fields_json(const JobRequest& request) {
    json::Members members;
    for_each_field(request, [&](const FieldSpec& field, const Value& value, bool has_failed) {
        if (!has_failed && value.kind != Value::Kind::nothing) members.add(field.name, to_json(value));
    });
    return members.object();
}

std::string other_values_json(const JobRequest& request) {
    json::Members members;
    std::vector<std::string> cut;
    for (const auto& row : other_counts)
        if (const auto& value = request.*row.member) members.add_number(row.name, *value);
    for (const auto& row : other_texts)
        if (const auto& value = request.*row.member) {
            members.add(row.name, to_json(Value::of_text(*value)));
            if (!is_recorded_as_sent(Value::of_text(*value))) cut.emplace_back(row.name);
        }
    for (const auto& row : other_flags)
        if (request.*row.member) members.add_flag(row.name, true);
    for_each_field(request, [&](const FieldSpec& field, const Value& value, bool has_failed) {
        if (has_failed || !is_recorded_as_sent(value)) cut.emplace_back(field.name);
    });
    if (!cut.empty()) members.add("cut", json::quote(cut));
    if (request.unread) members.add_text("unread", request.unread->field);
    return members.object();
}

} // namespace qg::gate
