// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/test/test_change.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/objects/fields.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace qg::policy {
namespace {

/// A field that slurmctld does not show of a job that it has.
struct HiddenField {
    std::string_view name;
    std::string_view reads;     ///< what rules read instead
    bool is_in_changes = false; ///< it is shown where the change sets it
};
constexpr std::array<HiddenField, 11> hidden_fields{{
    {"array", "nil"},
    {"array_tasks", "1"},
    {"script", "nil"},
    {"script_options", "an empty list"},
    {"het_offset", "nil"},
    {"is_het_part", "false"},
    {"admin_comment", "nil", true},
    {"burst_buffer", "nil", true},
    {"reboot", "false", true},
    {"switches", "nil", true},
    {"switches_wait", "nil", true},
}};

/// Whether it is what rules read anyway.
bool is_shown_value(const TestEntry& entry) {
    return entry.is_flag(false) ||
           (entry.name == "array_tasks" && entry.kind == Value::Kind::integer && entry.integer == 1);
}

Error describe_hidden(const TestEntry& entry, const HiddenField& field) {
    return {ErrorCode::invalid_input,
            text::format("{}.{} cannot be given: at a change slurmctld does not show it{}, and rules read {}",
                         entry.section, field.name,
                         field.is_in_changes ? " unless the change sets it (in the test: job)" : "",
                         field.reads)};
}

Error describe_lasting(std::string_view name) {
    return {ErrorCode::invalid_input,
            text::format("job.{} cannot be changed: write it into before", text::printable(name, 60))};
}

} // namespace

model::UpdateParts parts_of_change(const PolicyTest& test) {
    model::UpdateParts parts;
    for (const TestEntry& entry : test.entries) {
        if (entry.section == "job.tres") parts.add(model::UpdatePart::limits);
        const FieldSpec* const field = entry.section == "job" ? find_job_field(entry.name) : nullptr;
        if (field != nullptr && field->part) parts.add(*field->part);
    }
    return parts;
}

Result<void> check_change(const PolicyTest& test) {
    for (const TestEntry& entry : test.entries) {
        if (entry.section == "job.env") return describe_lasting("env");
        if (entry.section == "job.argv") return describe_lasting("argv");
        const bool is_change = entry.section == "job";
        if (!is_change && entry.section != "before") continue;
        const auto hidden = std::ranges::find(hidden_fields, entry.name, &HiddenField::name);
        if (hidden != hidden_fields.end()) {
            if (is_shown_value(entry) || (is_change && hidden->is_in_changes)) continue;
            return describe_hidden(entry, *hidden);
        }
        const FieldSpec* const field = find_job_field(entry.name);
        // Who sends the change is no part of the job.
        if (is_change && field != nullptr && !field->part && entry.name != "submit_uid")
            return describe_lasting(entry.name);
    }
    return {};
}

} // namespace qg::policy
