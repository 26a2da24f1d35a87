// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/size/ranges.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/slurm_number.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace qg::gate {
namespace {

struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t step = 1;
};

std::optional<std::uint32_t> parse_index(std::string_view text) {
    const auto number = text::parse_unsigned(skip_sign(text));
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

/// The ranges of an --array text, in order; empty if it is not such a text.
std::optional<std::vector<Range>> parse_ranges(std::string_view text) {
    std::vector<Range> ranges;
    bool is_good = true;
    // slurmctld ignores brackets anywhere; "%limit" may end any part.
    std::string plain(text);
    std::erase_if(plain, [](char letter) { return letter == '[' || letter == ']'; });
    text::for_each_part(plain, ',', [&](std::string_view part) {
        if (part.empty() || !is_good) return;
        const std::string_view indices = part.substr(0, part.find('%'));
        const auto range = indices.empty() ? Range{} : parse_range(indices); // as strtol reads nothing
        is_good = range.has_value();
        if (is_good) ranges.push_back(*range);
    });
    if (!is_good || ranges.empty()) return std::nullopt;
    return ranges;
}

std::string format_range(const Range& range) {
    if (count_of(range) == 1) return std::to_string(range.first);
    std::string text = text::format("{}-{}", range.first, range.last);
    if (range.step != 1) text += text::format(":{}", range.step);
    return text;
}

/// The "%4" of an --array text; empty if it has none.
std::string_view throttle_of(std::string_view text) {
    const std::string_view throttle = text.substr(std::min(text.find('%'), text.size()));
    return throttle.substr(0, throttle.find_first_of(",]"));
}

/// The number of distinct indices in overlapping ranges; the first range has the smallest first index.
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
    constexpr std::uint64_t max_listed = 8192;
    if (!has_steps || sum > max_listed) return std::min(sum, span);

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

/// Counts the names in a host list character by character. An element with several brackets counts the
/// product of their counts.
class HostCounter {
  public:
    void read(char letter) {
        if (in_brackets_)
            read_in_brackets(letter);
        else if (letter == '[')
            open();
        else if (letter == ',' || letter == ' ' || letter == '\t' || letter == '\n')
            end_element();
        else
            is_named_ = true;
    }
    /// Ends the list and returns the number of names.
    std::uint64_t finish() {
        end_element();
        return count_;
    }

  private:
    static constexpr std::uint64_t max = 1u << 24; ///< names of one element
    static constexpr std::uint64_t max_number = std::uint64_t{1} << 32;

    void open() {
        in_brackets_ = is_named_ = true;
        here_ = 0;
        part_ = {};
    }
    void read_in_brackets(char letter) {
        if (text::is_digit(letter)) {
            part_.number = std::min(part_.number * 10 + static_cast<std::uint64_t>(letter - '0'), max_number);
            part_.is_empty = false;
        } else if (letter == '-') {
            part_.first = std::exchange(part_.number, 0);
            part_.is_range = true;
        } else if (letter == ',' || letter == ']') {
            if (!part_.is_empty) here_ += count_part();
            part_ = {};
            if (letter == ']') close();
        } else {
            part_.is_empty = false;
        }
    }
    [[nodiscard]] std::uint64_t count_part() const {
        return part_.is_range && part_.first <= part_.number ? part_.number - part_.first + 1 : 1;
    }
    void close() {
        names_ = std::min(names_ * std::clamp<std::uint64_t>(here_, 1, max), max);
        in_brackets_ = false;
    }
    void end_element() {
        if (is_named_) count_ += names_;
        names_ = 1;
        is_named_ = in_brackets_ = false;
    }

    /// "3" or "1-7"
    struct Part {
        std::uint64_t first = 0, number = 0;
        bool is_range = false, is_empty = true;
    };
    Part part_;
    std::uint64_t here_ = 0;  ///< in these brackets
    std::uint64_t names_ = 1; ///< of this element
    std::uint64_t count_ = 0;
    bool in_brackets_ = false, is_named_ = false;
};

} // namespace

std::optional<std::uint32_t> count_array_tasks(std::string_view text, std::uint32_t max_array_size) {
    auto ranges = parse_ranges(text);
    const auto is_too_large = [&](const Range& range) { return range.last >= max_array_size; };
    if (!ranges || std::ranges::any_of(*ranges, is_too_large)) return std::nullopt;
    return static_cast<std::uint32_t>(count_indices(*ranges));
}

std::optional<std::uint32_t> last_index_of_array(std::string_view text) {
    const auto ranges = parse_ranges(text);
    if (!ranges) return std::nullopt;
    return std::ranges::max_element(*ranges, {}, &Range::last)->last;
}

std::optional<std::uint64_t> throttle_of_array(std::string_view text) {
    const std::string_view throttle = throttle_of(text);
    return throttle.empty() ? std::nullopt : text::parse_unsigned(throttle.substr(1));
}

std::optional<std::string> first_of_array(std::string_view text, std::uint64_t max) {
    const auto ranges = parse_ranges(text);
    if (!ranges || max == 0) return std::nullopt;
    std::string fewer;
    for (Range range : *ranges) {
        if (max == 0) break;
        const std::uint64_t count = std::min(count_of(range), max);
        range.last = static_cast<std::uint32_t>(range.first + (count - 1) * range.step);
        max -= count;
        fewer += text::format("{}{}", fewer.empty() ? "" : ",", format_range(range));
    }
    return fewer.append(throttle_of(text));
}

std::uint32_t count_nodes(std::string_view host_list) {
    HostCounter counter;
    for (const char letter : host_list)
        counter.read(letter);
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(counter.finish(), std::numeric_limits<std::uint32_t>::max()));
}

} // namespace qg::gate
