// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/record_json.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/own_access.hpp"
#include "qosgate/model/qos_fields.hpp"

#include <limits>
#include <type_traits>

namespace qg::spec {
namespace {

using model::FieldKind;
using model::FieldValue;
using model::QosField;

constexpr std::uint64_t max_number = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t max_count = std::numeric_limits<std::uint64_t>::max();

Json value_to_json(const FieldValue& value) {
    return std::visit(
        [](const auto& held) -> Json {
            using Value = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<Value, std::monostate>) {
                return nullptr;
            } else if constexpr (std::is_same_v<Value, std::string>) {
                return text_to_json(held);
            } else if constexpr (std::is_same_v<Value, model::NameSet>) {
                return names_to_json(held);
            } else if constexpr (std::is_same_v<Value, model::TresLimits>) {
                Json object = Json::object();
                for (const auto& [tres, count] : held)
                    object[tres] = count;
                return object;
            } else {
                return held;
            }
        },
        value);
}

model::TresLimits limits_from_json(JsonReader& reader, const Json& json, const std::string& path) {
    model::TresLimits limits;
    JsonMembers(reader, json, path);
    if (!reader.ok()) return limits;
    for (const auto& [tres, count] : json.items())
        limits.emplace(tres, reader.number(count, path + "." + text::printable(tres), max_count));
    return limits;
}

FieldValue value_from_json(JsonReader& reader, const QosField& field, const Json& json,
                           const std::string& path) {
    switch (field.kind) {
    case FieldKind::name:
    case FieldKind::text: return reader.text(json, path);
    case FieldKind::number:
    case FieldKind::duration: return static_cast<std::uint32_t>(reader.number(json, path, max_number));
    case FieldKind::factor: return reader.real(json, path);
    case FieldKind::tres: return limits_from_json(reader, json, path);
    case FieldKind::flags:
    case FieldKind::preempt_mode:
    case FieldKind::qos_names: return reader.names(json, path);
    }
    return {};
}

void put_optional(Json& object, const char* key, const std::optional<std::string>& value) {
    if (value) object[key] = text_to_json(*value);
}

std::optional<std::string> optional_text(JsonReader& reader, JsonMembers& members, std::string_view key) {
    const Json* found = members.find(key);
    return found == nullptr ? std::nullopt : std::optional(reader.text(*found, members.path_of(key)));
}

void put_name(Json& object, const model::AssociationName& name) {
    object["account"] = text_to_json(name.account);
    if (!name.user.empty()) object["user"] = text_to_json(name.user);
    if (!name.partition.empty()) object["partition"] = text_to_json(name.partition);
}

model::AssociationName name_from(JsonReader& reader, JsonMembers& members, const std::string& cluster) {
    return {cluster, reader.text(members.get("account"), members.path_of("account")),
            optional_text(reader, members, "user").value_or(""),
            optional_text(reader, members, "partition").value_or("")};
}

Json own_to_json(const model::OwnAccess& own) {
    Json object = Json::object();
    object["whole"] = names_to_json(own.whole);
    object["added"] = names_to_json(own.added);
    object["removed"] = names_to_json(own.removed);
    return object;
}

model::OwnAccess own_from_json(JsonReader& reader, const Json& json, const std::string& path) {
    JsonMembers members(reader, json, path);
    const auto names = [&](std::string_view key) {
        return reader.names(members.get(key), members.path_of(key));
    };
    model::OwnAccess own{names("whole"), names("added"), names("removed")};
    members.finish();
    return own;
}

} // namespace

Json record_to_json(const model::QosRecord& record) {
    Json object = Json::object();
    for (const QosField& field : model::qos_fields())
        if (is_set(field, record)) object[std::string(field.name)] = value_to_json(get_field(field, record));
    return object;
}

model::QosRecord record_from_json(JsonReader& reader, const Json& json, const std::string& path) {
    model::QosRecord record;
    JsonMembers members(reader, json, path);
    for (const QosField& field : model::qos_fields()) {
        if (const Json* value = members.find(field.name))
            put_field(field, record, value_from_json(reader, field, *value, members.path_of(field.name)));
        if (field.kind == FieldKind::name && record.name.empty())
            reader.fail(members.path_of(field.name), "is missing");
    }
    members.finish();
    return record;
}

Json association_to_json(const model::AssociationRecord& record) {
    Json object = Json::object();
    put_name(object, record.name);
    if (!record.parent_account.empty()) object["parent"] = text_to_json(record.parent_account);
    if (record.own_qos) object["own_qos"] = names_to_json(*record.own_qos);
    if (!record.added_qos.empty()) object["added_qos"] = names_to_json(record.added_qos);
    if (!record.removed_qos.empty()) object["removed_qos"] = names_to_json(record.removed_qos);
    object["qos"] = names_to_json(record.qos);
    put_optional(object, "default_qos", record.default_qos);
    put_optional(object, "own_default_qos", record.own_default_qos);
    return object;
}

model::AssociationRecord association_from_json(JsonReader& reader, const Json& json, const std::string& path,
                                               const std::string& cluster) {
    JsonMembers members(reader, json, path);
    model::AssociationRecord record{name_from(reader, members, cluster)};
    record.parent_account = optional_text(reader, members, "parent").value_or("");
    if (const Json* own = members.find("own_qos"))
        record.own_qos = reader.names(*own, members.path_of("own_qos"));
    if (const Json* added = members.find("added_qos"))
        record.added_qos = reader.names(*added, members.path_of("added_qos"));
    if (const Json* removed = members.find("removed_qos"))
        record.removed_qos = reader.names(*removed, members.path_of("removed_qos"));
    record.qos = reader.names(members.get("qos"), members.path_of("qos"));
    record.default_qos = optional_text(reader, members, "default_qos");
    record.own_default_qos = optional_text(reader, members, "own_default_qos");
    members.finish();
    return record;
}

Json change_to_json(const model::AccessChange& change) {
    Json object = Json::object();
    put_name(object, change.name);
    object["granted"] = names_to_json(change.granted);
    object["revoked"] = names_to_json(change.revoked);
    if (change.own) object["own"] = own_to_json(*change.own);
    put_optional(object, "default_qos", change.default_qos);
    return object;
}

model::AccessChange change_from_json(JsonReader& reader, const Json& json, const std::string& path,
                                     const std::string& cluster) {
    JsonMembers members(reader, json, path);
    model::AccessChange change{name_from(reader, members, cluster)};
    change.granted = reader.names(members.get("granted"), members.path_of("granted"));
    change.revoked = reader.names(members.get("revoked"), members.path_of("revoked"));
    if (const Json* own = members.find("own"))
        change.own = own_from_json(reader, *own, members.path_of("own"));
    change.default_qos = optional_text(reader, members, "default_qos");
    members.finish();
    if (const auto storable = expect_storable(change); reader.ok() && !storable)
        reader.fail(path, storable.error().message);
    return change;
}

} // namespace qg::spec
