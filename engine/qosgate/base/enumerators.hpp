// SPDX-License-Identifier: GPL-2.0-or-later
//
// How many enumerators an enum has, so that no number beside it has to be kept.
#pragma once

#include <cstddef>
#include <string_view>

namespace qg {

/// Whether an enum has an enumerator of this value. The compiler tells: it writes others as "(Enum)7".
template <auto value>
consteval bool is_enumerator() {
    const std::string_view told = __PRETTY_FUNCTION__;
    constexpr std::string_view before = "value = ";
    return told[told.find(before) + before.size()] != '(';
}

/// How many enumerators an enum has that counts them from 0 on.
template <typename Enum, std::size_t count = 0>
consteval std::size_t count_enumerators() {
    if constexpr (is_enumerator<static_cast<Enum>(count)>())
        return count_enumerators<Enum, count + 1>();
    else
        return count;
}

} // namespace qg
