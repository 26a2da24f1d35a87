// SPDX-License-Identifier: GPL-2.0-or-later
//
// The names in a host list, as in --nodelist: "n[1-4,07],rack[1-2]n3".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qg::gate {

/// The first names of a host list.
struct HostNames {
    std::vector<std::string> names; ///< in order, duplicates included
    bool is_whole = true;           ///< the list has no other names
};

/// Reads at most `max` names. Stops where the list is not readable: at an open bracket, at brackets that
/// contain anything but numbers, or at a name of more than 255 bytes.
/// Cost: linear in the text up to there and in the names.
HostNames first_hosts(std::string_view list, std::size_t max);

} // namespace qg::gate
