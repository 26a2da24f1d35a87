// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads the records of world_fields.hpp.
#pragma once

#include "qosgate/quota/scenario_node.hpp"
#include "qosgate/quota/world_fields.hpp"

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace qg::quota::scenario {

inline void read_value(const Node& node, std::string& value) {
    value = node.text();
}
inline void read_value(const Node& node, bool& value) {
    value = node.boolean();
}
inline void read_value(const Node& node, TimeLimit& value) {
    value = node.minutes();
}
template <std::unsigned_integral Number>
void read_value(const Node& node, Number& value) {
    const std::uint64_t wide = node.number();
    if (wide > std::numeric_limits<Number>::max())
        node.fail(text::format("is too large (at most {})", std::numeric_limits<Number>::max()));
    value = static_cast<Number>(wide);
}
template <typename Enum>
requires std::is_enum_v<Enum>
void read_value(const Node& node, Enum& value) {
    const std::string name = node.text();
    std::string allowed;
    for (const auto& [each, word] : words_of<Enum>) {
        if (word == name) {
            value = each;
            return;
        }
        const bool is_last = each == words_of<Enum>.back().first;
        allowed += text::format("{}{}", allowed.empty() ? "" : is_last ? " or " : ", ", word);
    }
    node.fail("must be " + allowed);
}
template <typename T>
void read_value(const Node& node, std::optional<T>& value);
template <typename T>
void read_value(const Node& node, std::vector<T>& values);
template <FieldRecord Record>
void read_value(const Node& node, Record& record);

template <typename T>
void read_value(const Node& node, std::optional<T>& value) {
    read_value(node, value.emplace());
}
template <typename T>
void read_value(const Node& node, std::vector<T>& values) {
    values.clear();
    node.for_each_element([&values](const Node& element) { read_value(element, values.emplace_back()); });
}
template <FieldRecord Record>
void read_value(const Node& node, Record& record) {
    std::vector<Key> keys;
    std::apply(
        [&](const auto&... field) {
            (keys.push_back({field.key, [&](const Node& v) { read_value(v, record.*field.member); }}), ...);
        },
        fields_of<Record>);
    read_object(node, keys);
}

} // namespace qg::quota::scenario
