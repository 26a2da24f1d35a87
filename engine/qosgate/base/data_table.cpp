// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/data_table.hpp"

#include <algorithm>

namespace qg {
namespace {

DataValue make(DataValue::Kind kind, std::size_t first, std::size_t count) noexcept {
    DataValue value;
    value.kind = kind;
    value.first = static_cast<std::uint32_t>(first); // files are smaller than 4 GiB
    value.count = static_cast<std::uint32_t>(count);
    return value;
}

} // namespace

std::optional<std::size_t> DataTable::find(const DataValue& map, std::string_view key) const noexcept {
    const auto all = entries(map);
    const auto key_of = [this](const DataEntry& entry) { return text(entry.key); };
    const auto found = std::ranges::lower_bound(all, key, {}, key_of);
    if (found == all.end() || key_of(*found) != key) return std::nullopt;
    return static_cast<std::size_t>(found - all.begin());
}

DataValue DataTable::add_text(std::string_view text) {
    const DataValue value = make(DataValue::Kind::text, texts_.size(), text.size());
    texts_.append(text);
    return value;
}

DataValue DataTable::add_list(std::span<const DataValue> elements) {
    const DataValue value = make(DataValue::Kind::list, elements_.size(), elements.size());
    elements_.insert(elements_.end(), elements.begin(), elements.end());
    return value;
}

std::optional<std::string_view> DataTable::add_map(std::span<DataEntry> entries, DataValue& map) {
    const auto key_of = [this](const DataEntry& entry) { return text(entry.key); };
    std::ranges::sort(entries, {}, key_of);
    const auto twice = std::ranges::adjacent_find(entries, {}, key_of);
    if (twice != entries.end()) return key_of(*twice);
    map = add_row(entries);
    map.kind = DataValue::Kind::map;
    return std::nullopt;
}

DataValue DataTable::add_row(std::span<const DataEntry> entries) {
    const DataValue value = make(DataValue::Kind::row, entries_.size(), entries.size());
    entries_.insert(entries_.end(), entries.begin(), entries.end());
    return value;
}

} // namespace qg
