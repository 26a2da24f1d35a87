// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/release.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <vector>

namespace qg::limits {

Result<Release> Release::parse(std::string_view text) {
    std::vector<std::uint16_t> numbers;
    for (std::string_view part : text::split(text, '.', /*keep_empty=*/true)) {
        const auto number = text::parse_unsigned(part);
        if (!number || *number > 254) break;
        numbers.push_back(static_cast<std::uint16_t>(*number));
    }
    const bool is_complete = !text.empty() && text.back() != '.' &&
                             (numbers.size() == 2 || numbers.size() == 3) &&
                             text::split(text, '.', true).size() == numbers.size();
    if (is_complete) {
        const Release release = numbers.size() == 3 ? Release(numbers[0], numbers[1], numbers[2])
                                                    : Release(numbers[0], numbers[1]);
        if (release >= Release(22, 5, 0)) return release;
    }
    return Error{ErrorCode::invalid_input,
                 text::format("'{}' is not a Slurm release from 22.05 on; write for example 24.11 or 25.11.1",
                              text::printable(text))};
}

std::string Release::branch() const {
    return text::format("{}.{:02}", number_ >> 16, number_ >> 8 & 0xffu);
}

std::string Release::text() const {
    return text::format("{}.{}", branch(), number_ & 0xffu);
}

bool is_compared(Release release) noexcept {
    return std::ranges::any_of(compared_releases, [&](Release newest) {
        return newest.branch_number() == release.branch_number() && release <= newest;
    });
}

} // namespace qg::limits
