// SPDX-License-Identifier: GPL-2.0-or-later
//
// The values of a YAML text with their places. Scalars stay text: what they mean depends on the key, so that
// "8:00:00", "no" and "010" are never numbers or booleans by accident. The only place that sees yaml-cpp.
#pragma once

#include "qosgate/spec/load_files.hpp"
#include "qosgate/spec/problem_list.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::spec {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

/// One value. Immutable once read; an alias shares the node of its anchor.
struct Node {
    enum class Kind : std::uint8_t { null, scalar, sequence, mapping };

    Kind kind = Kind::null;
    bool is_plain = true; ///< a scalar without quotes
    std::size_t line = 0; ///< from 1
    std::size_t column = 0;
    std::size_t size = 1;  ///< nodes in it, itself included, aliases expanded; a long text counts as several
    std::string text = {}; ///< of a scalar
    std::vector<NodePtr> items = {};
    std::vector<std::pair<NodePtr, NodePtr>> entries = {}; ///< of a mapping; keys are scalars, each one once

    [[nodiscard]] bool is_scalar() const noexcept { return kind == Kind::scalar; }
    [[nodiscard]] bool is_sequence() const noexcept { return kind == Kind::sequence; }
    [[nodiscard]] bool is_mapping() const noexcept { return kind == Kind::mapping; }

    /// The value of a key, exactly as it is written; null pointer: there is none.
    [[nodiscard]] const Node* find(std::string_view key) const;
};

/// "a mapping", "a list", "a text", "nothing".
std::string_view describe(Node::Kind kind);

/// Bounds of one text; `nodes` is what is left for all texts.
struct TreeBounds {
    static constexpr std::size_t max_depth = 64;
    static constexpr std::size_t max_bytes = std::size_t{4} << 20u;
    static constexpr std::size_t max_text = 65'535;  ///< bytes of one text: no value of a QOS is longer
    static constexpr std::size_t text_per_node = 64; ///< bytes that count as one node more
    std::size_t nodes = 500'000;                     ///< aliases expanded
};

/// The documents of a text; empty ones are left out. What is wrong goes into `problems`; a text that is not
/// YAML or exceeds the bounds has no documents. Never throws. Cost: linear.
std::vector<NodePtr> read_yaml(const SourceText& source, TreeBounds& bounds, ProblemList& problems);

} // namespace qg::spec
