// SPDX-License-Identifier: GPL-2.0-or-later
//
// DataTable: the values of one JSON text or of one table, such as a file of qosgate.d/data, in a few blocks
// of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg {

/// One value. Trivial; it means something only together with its table.
struct DataValue {
    enum class Kind : std::uint8_t {
        nothing, ///< null, an empty field
        flag,
        integer,
        real,
        text,
        list,
        map,
        row, ///< a map with the same keys as all rows of its file
    };
    Kind kind = Kind::nothing;
    std::uint32_t first = 0; ///< where a text, list or map begins
    std::uint32_t count = 0; ///< bytes of a text, elements of a list, entries of a map
    union {
        std::int64_t integer = 0; ///< also of a flag: 0 or 1
        double real;
    };
};

/// An entry of a map.
struct DataEntry {
    DataValue key; ///< a text
    DataValue value;
};

/// How much the files of a policy may hold. The numbers bound the memory: a value takes 24 bytes, an entry of
/// a map 48.
struct DataBounds {
    static constexpr std::size_t max_values = 500'000; ///< of all files
    static constexpr std::size_t max_depth = 32;
    static constexpr std::size_t max_key_bytes = 255;
    static constexpr std::size_t max_text_bytes = 65'000; ///< a little less than the longest text of Lua
    static constexpr std::size_t max_columns = 256;
};

/// Threads: immutable once it is made.
class DataTable {
  public:
    [[nodiscard]] const DataValue& root() const noexcept { return root_; }
    [[nodiscard]] std::string_view text(const DataValue& text) const noexcept {
        return std::string_view(texts_).substr(text.first, text.count);
    }
    [[nodiscard]] std::span<const DataValue> elements(const DataValue& list) const noexcept {
        return std::span(elements_).subspan(list.first, list.count);
    }
    /// In byte order of the keys.
    [[nodiscard]] std::span<const DataEntry> entries(const DataValue& map) const noexcept {
        return std::span(entries_).subspan(map.first, map.count);
    }
    /// The place of a key in entries(); empty: there is no such key. Cost: a binary search.
    [[nodiscard]] std::optional<std::size_t> find(const DataValue& map, std::string_view key) const noexcept;

    /// The number of values, for DataBounds::max_values.
    [[nodiscard]] std::size_t size() const noexcept { return elements_.size() + entries_.size(); }

    // ---- for the readers ---------------------------------------------------------------------------------

    DataValue add_text(std::string_view text);
    DataValue add_list(std::span<const DataValue> elements);
    /// Adds a map. The error is a key that is there twice.
    std::optional<std::string_view> add_map(std::span<DataEntry> entries, DataValue& map);
    /// Adds a row; the entries are in the order of their keys.
    DataValue add_row(std::span<const DataEntry> entries);
    void set_root(DataValue root) noexcept { root_ = root; }

  private:
    DataValue root_;
    std::string texts_;
    std::vector<DataValue> elements_;
    std::vector<DataEntry> entries_;
};

} // namespace qg
