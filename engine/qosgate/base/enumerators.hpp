// SPDX-License-Identifier: GPL-2.0-or-later
//
// How many enumerators an enum has, so that nobody has to write the number down.
#pragma once

#include <cstddef>
#include <string_view>

namespace qg {

/// The compiler's own spelling of a constant, such as "qg::ErrorCode::invalid_input"; "(qg::ErrorCode)77" for
/// an enum's value without an enumerator.
template <auto constant>
consteval std::string_view spelling_of() {
    const std::string_view function = __PRETTY_FUNCTION__;
    constexpr std::string_view before = "constant = ";
    const std::size_t begin = function.find(before) + before.size();
    return function.substr(begin, function.find_first_of(";]", begin) - begin);
}

/// Whether an enum has an enumerator of this value.
template <auto value>
consteval bool is_enumerator() {
    return !spelling_of<value>().starts_with('(');
}

/// How many enumerators an enum has whose values are 0, 1, 2 and so on.
template <typename Enum, std::size_t count = 0>
consteval std::size_t count_enumerators() {
    if constexpr (is_enumerator<static_cast<Enum>(count)>())
        return count_enumerators<Enum, count + 1>();
    else
        return count;
}

} // namespace qg
