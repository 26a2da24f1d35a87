// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/plan_json.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/spec/plan_json_parts.hpp"
#include "qosgate/spec/plan_values.hpp"
#include "qosgate/spec/record_json.hpp"
#include "qosgate/spec/sealed_file.hpp"

#include <limits>

namespace qg::spec {
namespace {

const SealedFile plan_frame{"qosgate-plan", 1, {}, "plan", {}};

template <typename List, typename ToJson>
Json list_to_json(const List& list, ToJson to_json) {
    Json all = Json::array();
    for (const auto& element : list)
        all.push_back(to_json(element));
    return all;
}

Json update_to_json(const PlannedUpdate& update) {
    Json object = Json::object();
    object["before"] = record_to_json(update.before);
    object["after"] = record_to_json(update.after);
    return object;
}

PlannedUpdate update_from_json(JsonReader& reader, const Json& json, const std::string& path) {
    JsonMembers members(reader, json, path);
    PlannedUpdate update{record_from_json(reader, members.get("before"), members.path_of("before")),
                         record_from_json(reader, members.get("after"), members.path_of("after"))};
    members.finish();
    if (reader.ok() && update.before.name != update.after.name)
        reader.fail(path, "the names before and after must be equal");
    return update;
}

Json share_to_json(const ResolvedShare& share) {
    Json object = Json::object();
    object["qos"] = text_to_json(share.qos);
    object["field"] = text_to_json(share.field);
    object["tres"] = text_to_json(share.tres);
    object["percent"] = share.share.percent;
    object["partition"] = text_to_json(share.share.partition);
    object["count"] = share.count;
    return object;
}

ResolvedShare share_from_json(JsonReader& reader, const Json& json, const std::string& path) {
    JsonMembers members(reader, json, path);
    const auto text = [&](std::string_view key) {
        return reader.text(members.get(key), members.path_of(key));
    };
    ResolvedShare share;
    share.qos = text("qos");
    share.field = text("field");
    share.tres = text("tres");
    share.share = {reader.real(members.get("percent"), members.path_of("percent")), text("partition")};
    share.count = reader.number(members.get("count"), members.path_of("count"),
                                std::numeric_limits<std::uint64_t>::max());
    members.finish();
    return share;
}

} // namespace

Json plan_to_json(const Plan& plan) {
    Json json = Json::object();
    json["created"] = list_to_json(plan.created, record_to_json);
    json["updated"] = list_to_json(plan.updated, update_to_json);
    json["removed"] = list_to_json(plan.removed, record_to_json);
    json["access"] = list_to_json(plan.access, change_to_json);
    json["access_base"] = list_to_json(plan.access_base, association_to_json);
    json["shares"] = list_to_json(plan.shares, share_to_json);
    json["warnings"] = texts_to_json(plan.warnings);
    if (!plan.named.empty()) json["named"] = list_to_json(plan.named, change_to_json);
    return json;
}

Plan plan_from_json(JsonReader& reader, const Json& json, const std::string& path,
                    const std::string& cluster) {
    JsonMembers members(reader, json, path);
    const auto list_of = [&]<typename T>(std::vector<T>& to, std::string_view key, auto read_one) {
        to = reader.list_of<T>(
            members.get(key), members.path_of(key),
            [&](const Json& one, const std::string& at) { return read_one(reader, one, at); });
    };
    const auto in_cluster = [&](auto read_one) {
        return [&cluster, read_one](JsonReader& from, const Json& one, const std::string& at) {
            return read_one(from, one, at, cluster);
        };
    };
    Plan plan;
    plan.cluster = cluster;
    list_of(plan.created, "created", record_from_json);
    list_of(plan.updated, "updated", update_from_json);
    list_of(plan.removed, "removed", record_from_json);
    list_of(plan.access, "access", in_cluster(change_from_json));
    list_of(plan.access_base, "access_base", in_cluster(association_from_json));
    list_of(plan.shares, "shares", share_from_json);
    plan.warnings = reader.texts(members.get("warnings"), members.path_of("warnings"));
    if (members.find("named") != nullptr) list_of(plan.named, "named", in_cluster(change_from_json));
    members.finish();
    bool have_bases = plan.access.size() == plan.access_base.size();
    for (std::size_t i = 0; have_bases && i < plan.access.size(); ++i)
        have_bases = plan.access[i].name == plan.access_base[i].name;
    if (!have_bases) reader.fail(members.path_of("access_base"), "must be of the associations in 'access'");
    return plan;
}

std::string plan_to_text(const Plan& plan) {
    SealedFile file = plan_frame;
    file.cluster = plan.cluster;
    file.contents = plan_to_json(plan);
    return seal(file);
}

bool is_plan(std::string_view text) {
    constexpr std::size_t max_head = 400; // the format stands before the contents
    const std::string format = '"' + plan_frame.format + '"';
    return text::trim(text).starts_with('{') &&
           text.substr(0, max_head).find(format) != std::string_view::npos;
}

Result<Plan> plan_from_text(std::string_view text, std::string_view cluster) {
    SealedFile expected = plan_frame;
    expected.cluster = cluster;
    const auto file = unseal(text, expected);
    if (!file) return file.error();
    JsonReader reader;
    Plan plan = plan_from_json(reader, file->contents, plan_frame.key, file->cluster);
    if (!reader.ok()) return reader.error();
    if (const auto right = check_values(plan); !right) return right.error();
    return plan;
}

} // namespace qg::spec
