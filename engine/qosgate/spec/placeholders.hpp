// SPDX-License-Identifier: GPL-2.0-or-later
//
// for_each: one QOS per combination of values, and the placeholders ("{account}") that stand for them.
#pragma once

#include "qosgate/spec/problem_list.hpp"
#include "qosgate/spec/yaml_tree.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::spec {

/// The values of placeholders, by name.
using Bindings = std::map<std::string, std::string, std::less<>>;

/// QOSs of all files together.
constexpr std::size_t max_qos = 10'000;

/// Where placeholders are read.
enum class Placeholders : std::uint8_t {
    replaced, ///< by the values of a row
    skipped,  ///< a text that has one is not looked at: a template is checked without its values
    absent,   ///< there is no for_each, so a placeholder is an error
};

/// A text with its placeholders replaced. "{word}" is a placeholder; any other brace is itself, and
/// "{{word}}" is "{word}". `unknown`: the first name that has no value. `is_too_long`: the text would be
/// longer than TreeBounds::max_text, and ends there.
struct Replaced {
    std::string text;
    std::string unknown = {};
    bool has_placeholder = false;
    bool is_too_long = false;
};
Replaced replace_placeholders(std::string_view text, const Bindings& values);

/// The rows of a for_each: a mapping from names to lists (all combinations, the last name changes first), or
/// a list of mappings. Without a usable row, there is a problem.
std::vector<Bindings> read_for_each(const Node& node, const std::string& file, ProblemList& problems);

} // namespace qg::spec
