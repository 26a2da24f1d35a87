// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the readers of scenarios share: values of JSON with the path that leads to them.
#pragma once

#include "qosgate/base/json_reader.hpp"
#include "qosgate/base/result.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/base/units.hpp"
#include "qosgate/model/tres.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::quota {

struct World;

namespace scenario {

/// Stops the reading of a scenario; caught in parse_scenario.
struct BadScenario : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A JSON value and the path that leads to it. Ownership: borrows the table.
struct Node {
    using Kind = DataValue::Kind;

    const DataTable& table;
    DataValue value;
    std::string path;

    [[noreturn]] void fail(std::string_view why) const {
        throw BadScenario(text::format("{}: {}", path.empty() ? "scenario" : path, why));
    }
    [[nodiscard]] bool is_null() const noexcept { return value.kind == Kind::nothing; }
    /// The value of a key; empty: this is no object, or it has no such key.
    [[nodiscard]] std::optional<Node> find(std::string_view key) const {
        const auto place = value.kind == Kind::map ? table.find(value, key) : std::nullopt;
        if (!place) return std::nullopt;
        return entry(table.entries(value)[*place]);
    }
    [[nodiscard]] std::string text() const {
        if (value.kind != Kind::text) fail("must be a text");
        return std::string(table.text(value));
    }
    [[nodiscard]] std::uint64_t number() const {
        if (!is_natural()) fail("must be a whole number from 0 on");
        return static_cast<std::uint64_t>(value.integer);
    }
    [[nodiscard]] std::uint32_t number32() const {
        const std::uint64_t wide = number();
        if (wide > 0xffffffffu) fail("is too large (at most 4294967295)");
        return static_cast<std::uint32_t>(wide);
    }
    [[nodiscard]] double real() const {
        if (value.kind == Kind::real) return value.real;
        if (value.kind != Kind::integer) fail("must be a number");
        return static_cast<double>(value.integer);
    }
    [[nodiscard]] bool boolean() const {
        if (value.kind != Kind::flag) fail("must be true or false");
        return value.integer != 0;
    }
    [[nodiscard]] TimeLimit minutes() const {
        if (value.kind == Kind::text && text::iequals(table.text(value), "UNLIMITED"))
            return TimeLimit::unlimited();
        if (!is_natural()) fail("must be whole minutes or \"UNLIMITED\"");
        return {number32()};
    }
    template <typename Each>
    void for_each_element(Each each) const {
        if (value.kind == Kind::map && table.entries(value).empty()) return; // how tests write an empty table
        if (value.kind != Kind::list) fail("must be a list");
        const auto elements = table.elements(value);
        for (std::size_t i = 0; i < elements.size(); ++i)
            each(Node{table, elements[i], text::format("{}[{}]", path, i)});
    }
    /// In byte order of the keys.
    template <typename Each>
    void for_each_key(Each each) const {
        if (value.kind != Kind::map) fail("must be an object");
        for (const DataEntry& one : table.entries(value))
            each(std::string(table.text(one.key)), entry(one));
    }

  private:
    [[nodiscard]] bool is_natural() const noexcept {
        return value.kind == Kind::integer && value.integer >= 0;
    }
    [[nodiscard]] Node entry(const DataEntry& one) const {
        const std::string key(table.text(one.key));
        return {table, one.value, path.empty() ? key : path + "." + key};
    }
};

/// What to do with the value of one key.
struct Key {
    std::string_view name;
    std::function<void(const Node&)> read;
};

/// Reads an object by its table of keys. Keys that are not in the table go to `other`, which returns whether
/// it knows them.
inline void read_object(const Node& node, const std::vector<Key>& keys,
                        const std::function<bool(const std::string&, const Node&)>& other = nullptr) {
    node.for_each_key([&](const std::string& name, const Node& value) {
        const auto known =
            std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
        if (known != keys.end()) return known->read(value);
        if (other && other(name, value)) return;
        std::vector<std::string> names;
        for (const Key& key : keys)
            names.emplace_back(key.name);
        value.fail("is not a key of a scenario here" + text::did_you_mean(name, names));
    });
}

model::TresCounts read_counts(const Node& node, const model::TresCatalogue& catalogue);

/// The keys that are not about a job. Reads the TRES at once, because everything else needs them. Ownership:
/// borrows `world`.
std::vector<Key> world_keys(const Node& root, World& world);

/// Associations that name no parents are one chain, user first, unless the world was captured. Errors:
/// BadScenario for a parent that does not exist.
void link_chain(const Node& root, World& world);

/// What `read` makes of a JSON text.
template <typename Read>
auto parse(std::string_view content, Read read) -> Result<decltype(read(std::declval<Node>()))> {
    constexpr std::size_t max_values = 20'000'000; // of a captured world
    const auto table = read_json(content, max_values);
    if (!table)
        return Error{ErrorCode::invalid_input, text::format("not a JSON object: {}", table.error().message)};
    try {
        return read({*table, table->root(), ""});
    } catch (const BadScenario& error) {
        return Error{ErrorCode::invalid_input, error.what()};
    }
}

} // namespace scenario
} // namespace qg::quota
