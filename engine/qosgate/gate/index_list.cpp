// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/index_list.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace qg::gate {
namespace {

struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t step = 1;
};

std::optional<std::uint32_t> parse_index(std::string_view text) {
    const auto number = text::parse_unsigned(text);
    if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

/// "3", "1-7" or "0-15:4".
std::optional<Range> parse_range(std::string_view text) {
    Range range;
    const auto colon = text.find(':');
    if (colon != std::string_view::npos) {
        const auto step = parse_index(text.substr(colon + 1));
        if (!step || *step == 0) return std::nullopt;
        range.step = *step;
        text = text.substr(0, colon);
    }
    const auto dash = text.find('-');
    const auto first = parse_index(text.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_index(text.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    range.first = *first;
    range.last = *last;
    return range;
}

/// The number of names that one element of a host list stands for: the product over its brackets.
std::uint64_t count_names(std::string_view element) {
    std::uint64_t names = 1;
    while (true) {
        const auto open = element.find('[');
        const auto close = element.find(']', open);
        if (open == std::string_view::npos || close == std::string_view::npos) return names;
        std::uint64_t here = 0;
        for (std::string_view part : text::split(element.substr(open + 1, close - open - 1), ',')) {
            const auto range = parse_range(part);
            here += range ? std::uint64_t{range->last} - range->first + 1 : 1;
        }
        names = std::min<std::uint64_t>(names * std::max<std::uint64_t>(here, 1), 1u << 24);
        element = element.substr(close + 1);
    }
}

} // namespace

std::optional<std::uint32_t> count_array_tasks(std::string_view text, std::uint32_t max_array_size) {
    std::vector<bool> indices(max_array_size);
    for (std::string_view part : text::split(text.substr(0, text.find('%')), ',', /*keep_empty=*/true)) {
        const auto range = parse_range(part);
        if (!range || range->last >= max_array_size) return std::nullopt;
        for (std::uint64_t i = range->first; i <= range->last; i += range->step)
            indices[i] = true;
    }
    return static_cast<std::uint32_t>(std::count(indices.begin(), indices.end(), true));
}

std::uint32_t count_nodes(std::string_view host_list) {
    std::uint64_t nodes = 0;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= host_list.size(); ++i) {
        const char c = i < host_list.size() ? host_list[i] : ',';
        if (c == '[') ++depth;
        if (c == ']') --depth;
        if (i < host_list.size() && (c != ',' || depth > 0)) continue;
        if (const auto element = text::trim(host_list.substr(begin, i - begin)); !element.empty())
            nodes += count_names(element);
        begin = i + 1;
    }
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(nodes, std::numeric_limits<std::uint32_t>::max()));
}

} // namespace qg::gate
