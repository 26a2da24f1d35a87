// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/read_context.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>

namespace qg::spec {
namespace {

constexpr std::size_t max_name_bytes = 255;

bool is_unsafe(char c) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr std::string_view unsafe = ",'\"=\\*";
    return byte <= 0x20 || byte == 0x7f || unsafe.find(c) != std::string_view::npos;
}

} // namespace

std::optional<std::string> ReadContext::text(const Node& node, std::string_view key) const {
    if (!node.is_scalar()) {
        wrong(node, key, text::format("needs a text or a number, not {}", describe(node.kind)));
        return std::nullopt;
    }
    static const Bindings none;
    Replaced done = replace_placeholders(node.text, bindings == nullptr ? none : *bindings);
    if (placeholders == Placeholders::skipped)
        return done.has_placeholder ? std::nullopt : std::optional(std::move(done.text));
    if (done.is_too_long) {
        wrong(node, key, text::format("too long: a text has at most {} bytes", TreeBounds::max_text));
        return std::nullopt;
    }
    if (done.unknown.empty()) return std::move(done.text);
    std::vector<std::string> names;
    for (const auto& [name, value] : bindings == nullptr ? none : *bindings)
        names.push_back(name);
    wrong(node, key,
          placeholders == Placeholders::absent
              ? text::format("'{{{}}}' is a placeholder, but this QOS has no for_each", done.unknown)
              : text::format("for_each gives no value for '{{{}}}'{}", done.unknown,
                             text::did_you_mean(done.unknown, names)));
    return std::nullopt;
}

std::optional<std::string> ReadContext::free_text(const Node& node, std::string_view key) const {
    if (node.is_scalar() && placeholders == Placeholders::absent) return node.text;
    return text(node, key);
}

std::optional<std::string> ReadContext::name(const Node& node, std::string_view key) const {
    auto name = text(node, key);
    if (!name) return name;
    const bool is_bad = name->empty() || name->size() > max_name_bytes || name->front() == '+' ||
                        name->front() == '-' || std::any_of(name->begin(), name->end(), is_unsafe);
    if (!is_bad) return name;
    wrong(
        node, key,
        text::format("'{}' cannot be a name: 1 to {} bytes, no blanks, commas, quotes, '=', '*' or '\\', and "
                     "no '+' or '-' first",
                     text::printable(*name, 40), max_name_bytes));
    return std::nullopt;
}

std::optional<bool> ReadContext::boolean(const Node& node, std::string_view key) const {
    if (node.is_scalar() && text::iequals(node.text, "true")) return true;
    if (node.is_scalar() && text::iequals(node.text, "false")) return false;
    wrong(node, key,
          text::format("needs true or false, not {}",
                       node.is_scalar() ? text::quoted(node.text, 40) : std::string(describe(node.kind))));
    return std::nullopt;
}

void ReadContext::unknown_key(const Node& key, std::span<const std::string> allowed) const {
    if (problems->is_full()) return;
    wrong(key, key.text,
          text::format("there is no such key{} (allowed: {})", text::did_you_mean(key.text, allowed),
                       text::join(allowed, ", ")));
}

bool means_unset(const Node& node) {
    if (node.kind == Node::Kind::null) return true;
    return node.is_scalar() && (text::iequals(node.text, "unset") || node.text == "-1");
}

} // namespace qg::spec
