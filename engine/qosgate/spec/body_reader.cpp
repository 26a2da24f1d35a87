// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/body_reader.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/spec/value_reader.hpp"

#include <algorithm>
#include <array>

namespace qg::spec {
namespace {

/// Keys of a body that are no fields.
constexpr std::array<std::string_view, 4> other_keys{"access", "complete", "template", "for_each"};

template <typename T>
void replace(std::optional<T>& lower, std::optional<T> upper) {
    if (upper) lower = std::move(upper);
}

void lay_access(AccessPart& lower, AccessPart upper) {
    replace(lower.accounts, std::move(upper.accounts));
    replace(lower.users, std::move(upper.users));
    replace(lower.default_for_accounts, std::move(upper.default_for_accounts));
    replace(lower.default_for_users, std::move(upper.default_for_users));
    replace(lower.is_complete, upper.is_complete);
    lower.position = std::move(upper.position);
    lower.lacks_entries = lower.lacks_entries || upper.lacks_entries;
}

/// Lays a field upon a lower one.
void lay_field(DesiredField& lower, DesiredField upper) {
    auto* part = std::get_if<DesiredTres>(&upper.value);
    if (part == nullptr || part->is_whole) {
        lower = std::move(upper);
        return;
    }
    if (auto* whole = std::get_if<DesiredTres>(&lower.value)) {
        for (auto& [tres, count] : part->counts)
            whole->counts[tres] = count;
        for (auto& [tres, place] : upper.entries)
            lower.entries[tres] = place;
    } else {
        part->is_whole = true; // the lower one cleared the field
        lower.value = std::move(*part);
        lower.entries = std::move(upper.entries);
    }
    lower.position = std::move(upper.position);
}

/// Adds a field of the same body. False: it is given twice.
bool add_field(Body& body, const model::QosField* field, DesiredField value) {
    const auto found = body.fields.find(field);
    if (found == body.fields.end()) {
        body.fields.emplace(field, std::move(value));
        return true;
    }
    auto* held = std::get_if<DesiredTres>(&found->second.value);
    auto* more = std::get_if<DesiredTres>(&value.value);
    if (held == nullptr || more == nullptr || (held->is_whole && more->is_whole)) return false;
    for (auto& [tres, count] : more->counts)
        if (!held->counts.emplace(tres, count).second) return false;
    held->is_whole = held->is_whole || more->is_whole;
    found->second.entries.merge(value.entries);
    return true;
}

std::vector<std::string> known_keys(BodyKind kind) {
    std::vector<std::string> names;
    for (std::string_view key : other_keys)
        if (kind == BodyKind::qos || key != "for_each") names.emplace_back(key);
    for (const model::QosField& field : model::qos_fields()) {
        if (field.kind == model::FieldKind::name) continue;
        names.emplace_back(field.name);
        for (const model::FieldAlias& alias : field.aliases)
            names.emplace_back(alias.name);
    }
    return names;
}

void report_unknown(const Node& key, BodyKind kind, const ReadContext& context) {
    if (key.text == "for_each")
        return context.wrong(key, key.text, "stands only in a QOS, not in a template or in defaults");
    if (text::iequals(key.text, "name"))
        return context.wrong(key, key.text, "the name of a QOS is the key that its body stands under");
    const auto whole = model::find_abbreviated_field(key.text);
    const std::string near =
        whole ? text::did_you_mean(key.text, *whole) : text::did_you_mean(key.text, known_keys(kind));
    context.wrong(key, key.text,
                  text::format("there is no such key{} ('qosgate qos fields' lists all fields; others: {})",
                               near,
                               kind == BodyKind::qos ? "access, complete, template, for_each"
                                                     : "access, complete, template"));
}

/// Whether `template:` is a name or a list of names.
void check_template_key(const Node& value, const ReadContext& context) {
    if (value.is_scalar()) return;
    const bool is_list =
        value.is_sequence() && std::all_of(value.items.begin(), value.items.end(),
                                           [](const NodePtr& item) { return item->is_scalar(); });
    if (!is_list) context.wrong(value, "template", "needs the name of a template, or a list of names");
}

} // namespace

void Body::lay(Body upper) {
    for (auto& [field, value] : upper.fields) {
        const auto [place, is_new] = fields.emplace(field, value);
        if (!is_new) lay_field(place->second, std::move(value));
    }
    if (upper.access) {
        if (access)
            lay_access(*access, *std::move(upper.access));
        else
            access = std::move(upper.access);
    }
    replace(is_complete, upper.is_complete);
}

Body read_body(const Node& node, BodyKind kind, const ReadContext& context) {
    Body body;
    if (node.kind == Node::Kind::null) return body;
    if (!node.is_mapping()) {
        context.wrong(node, {},
                      text::format("a mapping of fields is needed here, not {}", describe(node.kind)));
        return body;
    }
    for (const auto& [key, value] : node.entries) {
        if (context.problems->is_full()) return body;
        if (key->text == "access") {
            body.access = read_access(*key, *value, context);
        } else if (key->text == "complete") {
            body.is_complete = context.boolean(*value, key->text);
        } else if (key->text == "template") {
            check_template_key(*value, context);
        } else if (key->text == "for_each" && kind == BodyKind::qos) {
            continue; // read before
        } else if (const auto match = model::get_qos_field(key->text);
                   match && match->field->kind != model::FieldKind::name) {
            auto field = read_value(*key, *value, *match, context);
            if (field && !add_field(body, match->field, *std::move(field)))
                context.wrong(*key, key->text, text::format("{} is given twice", match->field->name));
        } else {
            report_unknown(*key, kind, context);
        }
    }
    return body;
}

std::vector<NodePtr> template_names(const Node& body) {
    std::vector<NodePtr> names;
    for (const auto& [key, value] : body.entries) {
        if (key->text != "template") continue;
        if (value->is_scalar()) names.push_back(value);
        for (const NodePtr& item : value->items)
            if (item->is_scalar()) names.push_back(item);
    }
    return names;
}

} // namespace qg::spec
