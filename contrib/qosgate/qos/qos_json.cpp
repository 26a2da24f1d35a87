// SPDX-License-Identifier: GPL-2.0-or-later
#include "qos/qos_json.hpp"

namespace qg::cli {
namespace {

/// The JSON value of an unset field of this kind.
Json unset(model::FieldKind kind) {
    switch (kind) {
    case model::FieldKind::tres: return Json::object();
    case model::FieldKind::flags:
    case model::FieldKind::preempt_mode:
    case model::FieldKind::qos_names: return Json::array();
    case model::FieldKind::name:
    case model::FieldKind::text:
    case model::FieldKind::number:
    case model::FieldKind::factor:
    case model::FieldKind::duration: break;
    }
    return nullptr;
}

} // namespace

Json field_to_json(const model::QosField& field, const model::QosRecord& record) {
    return std::visit(
        [&](const auto& value) -> Json {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::monostate>) {
                return unset(field.kind);
            } else if constexpr (std::is_same_v<Value, model::TresLimits>) {
                Json object = Json::object();
                for (const auto& [tres, count] : value)
                    object[tres] = count;
                return object;
            } else {
                return value;
            }
        },
        model::get_field(field, record));
}

Json record_to_json(const model::QosRecord& record, std::span<const model::QosField* const> fields) {
    Json object = Json::object();
    for (const model::QosField* field : fields)
        object[std::string(field->name)] = field_to_json(*field, record);
    return object;
}

Json record_to_json(const model::QosRecord& record) {
    return record_to_json(record, all_fields());
}

Json differences_to_json(const model::QosRecord& before, const model::QosRecord& after) {
    Json object = Json::object();
    for (const model::FieldDifference& difference : model::differences(before, after))
        object[std::string(difference.field->name)] = {{"before", field_to_json(*difference.field, before)},
                                                       {"after", field_to_json(*difference.field, after)}};
    return object;
}

std::vector<const model::QosField*> all_fields() {
    std::vector<const model::QosField*> fields;
    for (const model::QosField& field : model::qos_fields())
        fields.push_back(&field);
    return fields;
}

} // namespace qg::cli
