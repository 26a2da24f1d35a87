// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/history.hpp"

#include "qosgate/model/own_access.hpp"
#include "qosgate/spec/access_tree.hpp"
#include "qosgate/spec/changes.hpp"
#include "qosgate/spec/plan_json_parts.hpp"
#include "qosgate/spec/record_json.hpp"
#include "qosgate/spec/sealed_file.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace qg::spec {
namespace {

using model::AccessChange;
using model::AssociationName;
using model::AssociationRecord;
using model::QosRecord;

const SealedFile history_frame{"qosgate-history", 1, {}, "history", {}};

} // namespace

HistoryRecord make_history(const Plan& plan, const LiveState& live, std::string time, std::string actor) {
    HistoryRecord record{std::move(time), std::move(actor), plan, {}};
    const AccessTree tree(live.associations);
    std::set<AssociationName> touched;
    for (const AccessChange& change : plan.access)
        touched.insert(change.name);
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto parent = tree.parent(i);
        const AssociationRecord* above = parent ? &tree[*parent] : nullptr;
        const auto is_lost = [&](const QosRecord& removed) {
            return tree[i].removed_qos.contains(removed.name) || has_itself(tree[i], above, removed.name);
        };
        if (!std::any_of(plan.removed.begin(), plan.removed.end(), is_lost)) continue;
        record.lost_access.push_back(tree[i]);
        touched.insert(tree[i].name);
    }
    if (touched.empty()) return record;
    for (AssociationRecord& left : apply_to(plan, live).associations)
        if (touched.contains(left.name)) record.left_access.push_back(std::move(left));
    std::ranges::sort(record.left_access, {}, &AssociationRecord::name);
    return record;
}

std::string history_to_text(const HistoryRecord& record) {
    Json json = Json::object();
    json["time"] = text_to_json(record.time);
    json["actor"] = text_to_json(record.actor);
    json["plan"] = plan_to_json(record.plan);
    json["lost_access"] = Json::array();
    for (const AssociationRecord& association : record.lost_access)
        json["lost_access"].push_back(association_to_json(association));
    if (!record.left_access.empty()) json["left_access"] = Json::array();
    for (const AssociationRecord& association : record.left_access)
        json["left_access"].push_back(association_to_json(association));
    if (!record.made_permanent.empty()) json["made_permanent"] = texts_to_json(record.made_permanent);
    if (!record.ended.empty()) json["ended"] = texts_to_json(record.ended);
    if (record.is_open) json["open"] = true;
    if (record.undoes != 0) json["undoes"] = record.undoes;
    SealedFile file = history_frame;
    file.cluster = record.plan.cluster;
    file.contents = std::move(json);
    return seal(file);
}

Result<HistoryRecord> history_from_text(std::string_view text, std::string_view cluster) {
    SealedFile expected = history_frame;
    expected.cluster = cluster;
    const auto file = unseal(text, expected);
    if (!file) return file.error();
    JsonReader reader;
    JsonMembers members(reader, file->contents, history_frame.key);
    HistoryRecord record;
    record.time = reader.text(members.get("time"), members.path_of("time"));
    record.actor = reader.text(members.get("actor"), members.path_of("actor"));
    record.plan = plan_from_json(reader, members.get("plan"), members.path_of("plan"), file->cluster);
    const auto associations = [&](std::string_view key) {
        return reader.list_of<AssociationRecord>(
            members.get(key), members.path_of(key), [&](const Json& one, const std::string& path) {
                return association_from_json(reader, one, path, file->cluster);
            });
    };
    record.lost_access = associations("lost_access");
    if (members.find("left_access") != nullptr) record.left_access = associations("left_access");
    const auto texts = [&](std::string_view key) {
        const Json* found = members.find(key);
        return found == nullptr ? std::vector<std::string>() : reader.texts(*found, members.path_of(key));
    };
    record.made_permanent = texts("made_permanent");
    record.ended = texts("ended");
    if (const Json* open = members.find("open"); open != nullptr) {
        record.is_open = true;
        if (*open != true) reader.fail(members.path_of("open"), "must be true");
    }
    if (const Json* undoes = members.find("undoes"); undoes != nullptr)
        record.undoes =
            reader.number(*undoes, members.path_of("undoes"), std::numeric_limits<std::uint32_t>::max());
    members.finish();
    if (!reader.ok()) return reader.error();
    return record;
}

bool is_in_force(const HistoryRecord& record, const LiveState& live) {
    std::map<std::string_view, const QosRecord*> qos;
    for (const QosRecord& one : live.qos)
        qos.emplace(one.name, &one);
    const auto is_stored = [&](const QosRecord& left) {
        const auto found = qos.find(left.name);
        return found != qos.end() && *found->second == left;
    };
    const auto is_gone = [&](const QosRecord& removed) { return !qos.contains(removed.name); };
    const auto is_left = [&](const PlannedUpdate& update) { return is_stored(update.after); };
    if (!std::ranges::all_of(record.plan.created, is_stored) ||
        !std::ranges::all_of(record.plan.updated, is_left) ||
        !std::ranges::all_of(record.plan.removed, is_gone))
        return false;
    std::map<AssociationName, const AssociationRecord*> associations;
    for (const AssociationRecord& one : live.associations)
        associations.emplace(one.name, &one);
    return std::ranges::all_of(record.left_access, [&](const AssociationRecord& left) {
        const auto found = associations.find(left.name);
        return found != associations.end() && own_access(*found->second) == own_access(left) &&
               found->second->own_default_qos == left.own_default_qos;
    });
}

} // namespace qg::spec
