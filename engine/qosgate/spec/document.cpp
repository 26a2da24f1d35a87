// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/document.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/spec/ownership.hpp"

namespace qg::spec {
namespace {

const std::vector<std::string> top_keys{"owner",    "qos",   "templates", "defaults",
                                        "complete", "prune", "silence"};
const std::vector<std::string> silence_keys{"code", "reason", "qos"};
constexpr std::size_t max_text_bytes = 1000;

std::vector<std::pair<NodePtr, NodePtr>> read_bodies(const Node& key, const Node& node,
                                                     const ReadContext& context) {
    if (node.is_mapping()) return node.entries;
    if (node.kind != Node::Kind::null)
        context.wrong(
            node, key.text,
            text::format("needs a mapping from names to what they have, not {}", describe(node.kind)));
    return {};
}

void read_silence_member(const Node& key, const Node& value, Silenced& entry, const ReadContext& context) {
    std::string* member = key.text == "code"     ? &entry.code
                          : key.text == "reason" ? &entry.reason
                          : key.text == "qos"    ? &entry.qos
                                                 : nullptr;
    if (member == nullptr) return context.unknown_key(key, silence_keys);
    const auto text = context.free_text(value, key.text);
    if (!text) return;
    const std::string_view trimmed = text::trim(*text);
    if (trimmed.empty() || trimmed.size() > max_text_bytes)
        return context.wrong(value, key.text, text::format("needs 1 to {} bytes", max_text_bytes));
    if (key.text != "qos") {
        *member = trimmed;
        return;
    }
    const auto name = model::parse_qos_name(trimmed);
    if (name)
        *member = *name;
    else
        context.wrong(value, key.text, name.error().message);
}

void read_silence(const Node& key, const Node& node, Document& document, const ReadContext& context) {
    if (!node.is_sequence())
        return context.wrong(node, key.text,
                             "needs a list, for example [{code: unused-qos, reason: for May}]");
    for (const NodePtr& item : node.items) {
        if (!item->is_mapping()) {
            context.wrong(*item, key.text, "each entry is a mapping with code, reason and, if you like, qos");
            continue;
        }
        Silenced entry;
        entry.position = context.at(*item);
        for (const auto& [part, value] : item->entries)
            read_silence_member(*part, *value, entry, context);
        for (std::string_view needed : {"code", "reason"})
            if (item->find(needed) == nullptr)
                context.wrong(*item, key.text, text::format("needs a {}", needed));
        if (!entry.code.empty() && !entry.reason.empty()) document.silenced.push_back(std::move(entry));
    }
}

void read_owner(const Node& node, Document& document, const ReadContext& context) {
    if (node.is_scalar() && is_owner(node.text))
        document.owner = node.text;
    else
        context.wrong(node, "owner", owner_rule());
}

void read_member(const Node& key, const NodePtr& value, Document& document, const ReadContext& context) {
    if (key.text == "owner")
        read_owner(*value, document, context);
    else if (key.text == "qos")
        document.qos = read_bodies(key, *value, context);
    else if (key.text == "templates")
        document.templates = read_bodies(key, *value, context);
    else if (key.text == "defaults")
        document.defaults = value;
    else if (key.text == "complete")
        document.is_complete = context.boolean(*value, key.text).value_or(false);
    else if (key.text == "prune")
        document.prunes = context.boolean(*value, key.text).value_or(false);
    else if (key.text == "silence")
        read_silence(key, *value, document, context);
    else if (key.text != "$schema") // for editors
        context.unknown_key(key, top_keys);
}

} // namespace

Document read_document(const NodePtr& root, const ReadContext& context) {
    Document document;
    document.file = *context.file;
    if (!root->is_mapping()) {
        context.wrong(
            *root, {},
            text::format("a spec is a mapping with 'owner' and 'qos', not {}", describe(root->kind)));
        return document;
    }
    for (const auto& [key, value] : root->entries)
        read_member(*key, value, document, context);
    const bool needs_owner = !document.qos.empty() || document.prunes;
    if (needs_owner && root->find("owner") == nullptr)
        context.wrong(*root, "owner", text::format("is missing; {}", owner_rule()));
    return document;
}

} // namespace qg::spec
