// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/plan_values.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/model/qos_fields.hpp"
#include "qosgate/spec/changes.hpp"
#include "qosgate/spec/ownership.hpp"

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace qg::spec {
namespace {

using model::FieldKind;
using model::QosField;
using model::QosRecord;

Result<void> check_counts(const model::TresLimits& counts) {
    for (const auto& [tres, count] : counts)
        if (count > model::max_tres_count)
            return Error{ErrorCode::invalid_input,
                         text::format("{}: at most {}", text::printable(tres), model::max_tres_count)};
    return {};
}

/// A value is right if it is what its own text means.
Result<void> check_field(const QosField& field, const QosRecord& record) {
    const model::FieldValue value = get_field(field, record);
    if (field.kind == FieldKind::tres) return check_counts(std::get<model::TresLimits>(value));
    const auto meaning = model::parse_field_value(field, format_value(field, value));
    if (!meaning) return meaning.error();
    if (*meaning == value) return {};
    return Error{ErrorCode::invalid_input, "this value cannot be stored exactly"};
}

Result<void> check_record(const QosRecord& before, const QosRecord& after) {
    for (const QosField& field : model::qos_fields()) {
        const bool is_new = is_set(field, after) && get_field(field, before) != get_field(field, after);
        if (field.kind == FieldKind::name || !is_new) continue;
        if (const auto right = check_field(field, after); !right)
            return right.error().in(text::format("qos {}: {}", text::printable(after.name), field.name));
    }
    return {};
}

/// Who created a QOS decides who may delete it, and does not change. Each QOS has one update.
Result<void> check_updates(std::span<const PlannedUpdate> updates) {
    std::set<std::string> names;
    for (const PlannedUpdate& update : updates) {
        const auto refused = [&](std::string_view why) {
            return Error{ErrorCode::invalid_input,
                         text::format("qos {}: {}", text::printable(update.after.name), why)};
        };
        if (!names.insert(update.after.name).second) return refused("it is changed twice");
        const std::string creator = read_mark(update.after.description).ownership.creator;
        if (!creator.empty() && creator != read_mark(update.before.description).ownership.creator)
            return refused("a plan does not change who created a QOS");
        if (const auto right = check_record(without_mark(update.before), without_mark(update.after)); !right)
            return right;
    }
    return {};
}

/// What is granted is not revoked.
Result<void> check_grants(const model::AccessChange& change) {
    for (const std::string& qos : change.granted)
        if (change.revoked.contains(qos))
            return Error{ErrorCode::invalid_input,
                         text::format("qos {}: it is granted to and revoked from {}", text::printable(qos),
                                      list_associations(std::span(&change.name, 1)))};
    return {};
}

/// What an association is to store must not name a QOS that the same plan deletes.
Result<void> check_own(const model::AccessChange& change, const Plan& plan) {
    if (!change.own) return {};
    for (const QosRecord& removed : plan.removed)
        for (const model::NameSet* names : {&change.own->whole, &change.own->added, &change.own->removed})
            if (names->contains(removed.name))
                return Error{ErrorCode::invalid_input,
                             text::format("qos {}: it is deleted, and {} names it in its own list",
                                          text::printable(removed.name),
                                          list_associations(std::span(&change.name, 1)))};
    return {};
}

} // namespace

Result<void> check_values(const Plan& plan) {
    for (const QosRecord& record : plan.created) {
        const auto name = model::parse_new_qos_name(record.name);
        if (!name) return name.error();
        if (*name != record.name)
            return Error{ErrorCode::invalid_input,
                         text::format("qos {}: names are in lower case", text::printable(record.name))};
        QosRecord fresh;
        fresh.description = record.name; // what a QOS has that is given none
        if (const auto right = check_record(fresh, without_mark(record)); !right) return right;
    }
    if (const auto right = check_updates(plan.updated); !right) return right;
    for (const model::AccessChange& change : plan.access) {
        if (const auto right = check_grants(change); !right) return right;
        if (const auto right = check_own(change, plan); !right) return right;
    }
    return {};
}

} // namespace qg::spec
