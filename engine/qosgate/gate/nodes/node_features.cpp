// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/nodes/node_features.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/slurm_number.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace qg::gate {
namespace {

/// More names are not needed in practice; each is searched in every kind of node.
constexpr std::size_t max_names = 8;

bool has_feature(std::string_view features, std::string_view asked) {
    for (auto at = features.find(asked); at != features.npos; at = features.find(asked, at + 1)) {
        const auto end = at + asked.size();
        if ((at == 0 || features[at - 1] == ',') && (end == features.size() || features[end] == ','))
            return true;
    }
    return false;
}

/// Reads a constraint from left to right, as slurmctld does: '&', a comma and '|' bind alike, and only
/// parentheses and brackets group. `has` says whether a node has a feature.
template <typename Has>
class ConstraintReader {
  public:
    ConstraintReader(std::string_view asked, Has has) : rest_(asked), has_(has) {
        value_ = read_list('\0');
        if (!rest_.empty()) is_read_ = false;
    }

    /// Whether the node has what is asked for; of alternatives one is enough.
    [[nodiscard]] bool value() const noexcept { return value_; }
    [[nodiscard]] ConstraintKind kind() const noexcept {
        if (!is_read_ || (has_and_in_brackets_ && counts.empty())) return ConstraintKind::unread;
        if (!counts.empty()) return ConstraintKind::counts;
        return bracket.empty() ? ConstraintKind::by_node : ConstraintKind::alternatives;
    }

    std::string_view bracket;                   ///< what is in the brackets
    std::vector<std::string_view> alternatives; ///< the parts of that
    std::vector<FeatureCount> counts;

  private:
    /// Up to `end`, which is taken: ')' or ']', or the end of the text.
    bool read_list(char end) {
        bool value = read_item(end);
        while (is_read_ && !rest_.empty() && rest_.front() != end) {
            const char joint = take();
            const bool right = read_item(end);
            if (joint == '|')
                value = value || right;
            else if (joint == '&' || joint == ',')
                value = value && right;
            else
                is_read_ = false;
            if (end == ']' && joint != '|') has_and_in_brackets_ = true;
        }
        if (end == '\0') return value;
        if (rest_.empty()) is_read_ = false;
        if (is_read_) take();
        return value;
    }

    /// A name, or a group in a list that ends with `end`.
    bool read_item(char end) {
        const std::string_view begin = rest_;
        const bool is_group = end == '\0' && begin.starts_with('(');
        const bool has_brackets = end == '\0' && begin.starts_with('[') && bracket.empty();
        bool value = false;
        if (is_group || has_brackets) {
            take();
            value = read_list(is_group ? ')' : ']');
        } else {
            value = read_name(end);
        }
        const std::string_view item = begin.substr(0, begin.size() - rest_.size());
        if (end == ']') alternatives.push_back(item);
        if (has_brackets && item.size() > 2) bracket = item.substr(1, item.size() - 2);
        return value;
    }

    bool read_name(char end) {
        const std::string_view name = rest_.substr(0, rest_.find_first_of("&|,*()[]! \t"));
        rest_.remove_prefix(name.size());
        if (name.empty() || ++names_ > max_names) is_read_ = false;
        if (rest_.starts_with('*')) read_count(name, end);
        return is_read_ && has_(name);
    }

    void read_count(std::string_view name, char end) {
        take();
        std::uint64_t nodes = 0;
        while (!rest_.empty() && text::is_digit(rest_.front()))
            nodes =
                std::min<std::uint64_t>(10 * nodes + static_cast<std::uint64_t>(take() - '0'), UINT32_MAX);
        if (nodes == 0 || end == ')') is_read_ = false;
        counts.push_back({name, nodes});
    }

    char take() {
        const char letter = rest_.front();
        rest_.remove_prefix(1);
        return letter;
    }

    std::string_view rest_;
    Has has_;
    std::size_t names_ = 0;
    bool is_read_ = true;
    bool has_and_in_brackets_ = false;
    bool value_ = false;
};

auto read_constraint(std::string_view asked) {
    return ConstraintReader(asked, [](std::string_view) { return false; });
}

} // namespace

ConstraintKind kind_of_constraint(std::string_view asked) {
    return read_constraint(asked).kind();
}

bool has_features(const model::NodeKind& kind, std::string_view asked) {
    const ConstraintReader reader(asked,
                                  [&](std::string_view name) { return has_feature(kind.features, name); });
    return reader.kind() == ConstraintKind::by_node && reader.value();
}

std::vector<std::string> alternatives_of(std::string_view asked) {
    const auto reader = read_constraint(asked);
    std::vector<std::string> all;
    if (reader.kind() != ConstraintKind::alternatives) return {std::string(asked)};
    const auto begin = asked.find('[');
    for (const std::string_view one : reader.alternatives)
        all.push_back(text::format("{}{}{}", asked.substr(0, begin), one,
                                   asked.substr(begin + reader.bracket.size() + 2)));
    return all;
}

std::vector<FeatureCount> counts_of(std::string_view asked) {
    auto reader = read_constraint(asked);
    return reader.kind() == ConstraintKind::counts ? std::move(reader.counts) : std::vector<FeatureCount>();
}

std::uint64_t nodes_of_features(std::string_view asked) noexcept {
    constexpr std::uint64_t any_number = UINT32_MAX;
    constexpr int max_counts = 64; // it is asked for each partition of a job
    std::uint64_t sum = 0, most = 0;
    int counts = 0;
    for (std::size_t at = asked.find('*'); at != asked.npos; at = asked.find('*', at)) {
        if (++counts > max_counts) return any_number;
        std::uint64_t count = 0;
        const std::string_view number = skip_sign(asked.substr(at + 1));
        for (at = asked.size() - number.size(); at < asked.size() && text::is_digit(asked[at]); ++at)
            count = std::min(10 * count + static_cast<std::uint64_t>(asked[at] - '0'), any_number);
        sum = std::min(sum + count, any_number);
        most = std::max(most, count);
    }
    const bool has_only_alternatives =
        asked.find('|') != asked.npos && asked.find_first_of("&,") == asked.npos;
    return has_only_alternatives ? most : sum;
}

} // namespace qg::gate
