// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names that jobs may request, taken from slurmctld's answers about nodes, reservations and licenses.
#pragma once

#include "qosgate/base/text.hpp"
#include "qosgate/model/known_names.hpp"

#include <slurm/slurm.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace qg::slurm {

/// The count of a gres, "4" or "10G".
std::optional<std::uint64_t> read_gres_count(std::string_view text) noexcept;

/// Calls `body(name, type, count)` for each gres of a node, "gpu:a100:4(S:0-1),gpu:2,tmpdisk:10G". The type
/// may be empty; a count that is not a number reads as 1.
template <typename Body>
void for_each_gres(std::string_view gres, Body body) {
    while (!gres.empty()) {
        const std::size_t end = std::min(gres.find(','), gres.size());
        const std::size_t open = gres.find('(');
        const std::string_view entry = gres.substr(0, std::min(open, end));
        // A comma inside parentheses does not end an entry.
        const std::size_t close = open < end ? std::min(gres.find(')', open), gres.size()) : end;
        gres.remove_prefix(std::min(gres.find(',', close), gres.size()));
        gres.remove_prefix(gres.empty() ? 0 : 1);

        const auto parts = text::split(entry, ':');
        if (parts.empty()) continue;
        const auto count = parts.size() > 1 ? read_gres_count(parts.back()) : std::nullopt;
        const bool has_type = parts.size() > 2 || (parts.size() == 2 && !count);
        body(parts.front(), has_type ? parts[1] : std::string_view(), count.value_or(1));
    }
}

/// Sets names, gres and features to those of the nodes. `is_shown` says for each node whether Slurm shows it
/// to everybody.
void add_names_of_nodes(model::KnownNames& names, std::span<const node_info_t> nodes,
                        const std::vector<bool>& is_shown);

/// The reservations and licenses. Each may be null: then the old ones stay.
void update_names(model::KnownNames& names, const reserve_info_msg_t* reservations,
                  const license_info_msg_t* licenses);

} // namespace qg::slurm
