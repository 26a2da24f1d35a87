// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/nodes/node_features.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/slurm_number.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cstddef>

namespace qg::gate {
namespace {

bool is_choice(std::string_view asked) {
    return asked.find('|') != asked.npos;
}

/// More names are not needed in practice; each is searched in every kind of node.
constexpr std::ptrdiff_t max_names = 8;

bool has_feature(std::string_view features, std::string_view asked) {
    for (auto at = features.find(asked); at != features.npos; at = features.find(asked, at + 1)) {
        const auto end = at + asked.size();
        if ((at == 0 || features[at - 1] == ',') && (end == features.size() || features[end] == ','))
            return true;
    }
    return false;
}

} // namespace

bool is_plain_constraint(std::string_view asked) {
    const char joint = is_choice(asked) ? '|' : '&';
    return asked.find_first_of(joint == '|' ? "&,*!()[]" : ",*!()[]") == asked.npos &&
           std::ranges::count(asked, joint) < max_names;
}

bool has_features(const model::NodeKind& kind, std::string_view asked) {
    if (!is_plain_constraint(asked)) return false;
    bool has_all = true, has_any = false;
    text::for_each_part(asked, is_choice(asked) ? '|' : '&', [&](std::string_view name) {
        const bool has = has_feature(kind.features, name);
        has_all = has_all && has;
        has_any = has_any || has;
    });
    return is_choice(asked) ? has_any : has_all;
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
