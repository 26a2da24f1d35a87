// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names that jobs may ask for, from what slurmctld answers about nodes, reservations and licenses.
#pragma once

#include "qosgate/base/text.hpp"
#include "qosgate/model/known_names.hpp"

#include <slurm/slurm.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

namespace qg::slurm {

/// Calls `body(name, type, count)` for each gres of a node, "gpu:a100:4(S:0-1),gpu:2,tmpdisk:10G". The type
/// may be empty; a count that is no number reads as 1.
template <typename Body>
void for_each_gres(std::string_view gres, Body body) {
    while (!gres.empty()) {
        const std::size_t end = std::min(gres.find(','), gres.size());
        const std::size_t open = gres.find('(');
        const std::string_view entry = gres.substr(0, std::min(open, end));
        // Commas between parentheses are of one entry.
        const std::size_t close = open < end ? std::min(gres.find(')', open), gres.size()) : end;
        gres.remove_prefix(std::min(gres.find(',', close), gres.size()));
        gres.remove_prefix(gres.empty() ? 0 : 1);

        const auto parts = text::split(entry, ':');
        if (parts.empty()) continue;
        const auto count = parts.size() > 1 ? text::parse_unsigned(parts.back()) : std::nullopt;
        const bool has_type = parts.size() > 2 || (parts.size() == 2 && !count);
        body(parts.front(), has_type ? parts[1] : std::string_view(), count.value_or(1));
    }
}

/// Adds gres and features of nodes.
void add_names_of_nodes(model::KnownNames& names, std::span<const node_info_t> nodes);

/// The reservations and licenses. Each may be null: then they stay as they are.
void update_names(model::KnownNames& names, const reserve_info_msg_t* reservations,
                  const license_info_msg_t* licenses);

} // namespace qg::slurm
