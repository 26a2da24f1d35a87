// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/index_list.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <limits>
#include <span>
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

std::uint64_t count_of(const Range& range) {
    return (std::uint64_t{range.last} - range.first) / range.step + 1;
}

/// The number of distinct indices in ranges that overlap, the first of which begins first.
std::uint64_t count_overlapping(std::span<const Range> ranges) {
    if (ranges.size() == 1) return count_of(ranges.front());
    std::uint64_t sum = 0;
    std::uint32_t last = 0;
    bool has_steps = false;
    for (const Range& range : ranges) {
        sum += count_of(range);
        last = std::max(last, range.last);
        has_steps = has_steps || range.step != 1;
    }
    const std::uint64_t span = std::uint64_t{last} - ranges.front().first + 1;
    constexpr std::uint64_t most_listed = 8192;
    if (!has_steps || sum > most_listed) return std::min(sum, span);

    std::vector<std::uint32_t> indices;
    indices.reserve(sum);
    for (const Range& range : ranges)
        for (std::uint64_t index = range.first; index <= range.last; index += range.step)
            indices.push_back(static_cast<std::uint32_t>(index));
    std::sort(indices.begin(), indices.end());
    return static_cast<std::uint64_t>(std::unique(indices.begin(), indices.end()) - indices.begin());
}

/// The number of distinct indices.
std::uint64_t count_indices(std::vector<Range>& ranges) {
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
    std::uint64_t count = 0;
    for (std::size_t begin = 0, end = 0; begin < ranges.size(); begin = end) {
        std::uint32_t last = ranges[begin].last;
        for (end = begin + 1; end < ranges.size() && ranges[end].first <= last; ++end)
            last = std::max(last, ranges[end].last);
        count += count_overlapping(std::span(ranges).subspan(begin, end - begin));
    }
    return count;
}

/// The number of names that one element of a host list stands for: the product over its brackets.
std::uint64_t count_names(std::string_view element) {
    std::uint64_t names = 1;
    while (true) {
        const auto open = element.find('[');
        const auto close = element.find(']', open);
        if (open == std::string_view::npos || close == std::string_view::npos) return names;
        std::uint64_t here = 0;
        text::for_each_part(element.substr(open + 1, close - open - 1), ',', [&](std::string_view part) {
            if (part.empty()) return;
            const auto range = parse_range(part);
            here += range ? std::uint64_t{range->last} - range->first + 1 : 1;
        });
        constexpr std::uint64_t most = 1u << 24;
        names = std::min(names * std::clamp<std::uint64_t>(here, 1, most), most);
        element = element.substr(close + 1);
    }
}

} // namespace

std::optional<std::uint32_t> count_array_tasks(std::string_view text, std::uint32_t max_array_size) {
    std::vector<Range> ranges;
    bool is_good = true;
    text::for_each_part(text.substr(0, text.find('%')), ',', [&](std::string_view part) {
        const auto range = is_good ? parse_range(part) : std::nullopt;
        is_good = range && range->last < max_array_size;
        if (is_good) ranges.push_back(*range);
    });
    if (!is_good) return std::nullopt;
    return static_cast<std::uint32_t>(count_indices(ranges));
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
