// SPDX-License-Identifier: GPL-2.0-or-later
//
// Loops over tables that are known at compile time. The compiler then knows each row: it reads no table, and
// a test of a field that a row names is one instruction.
//
//   for_each_index<std::size(rows)>([&]<std::size_t i>() { record.*rows[i].member = 0; });
#pragma once

#include <cstddef>
#include <utility>

namespace qg {

/// Calls `body.operator()<i>()` for 0, 1 and so on, `count` times.
template <std::size_t count, typename Body>
constexpr void for_each_index(Body body) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        (body.template operator()<i>(), ...);
    }
    (std::make_index_sequence<count>());
}

/// Whether `is.operator()<i>()` holds for each of these; stops at the first one for which it does not.
template <std::size_t count, typename Is>
constexpr bool all_of_indices(Is is) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return (is.template operator()<i>() && ...);
    }
    (std::make_index_sequence<count>());
}

} // namespace qg
