// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counting what a list of ranges names: array tasks ("0-15:4,20%2") and nodes ("n[1-4,7],x").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qg::gate {

/// The number of tasks of an --array text: distinct indices, "%limit", brackets, empty parts and what strtol
/// skips before a number left aside; an upper bound where ranges
/// with steps overlap in more than some thousand indices. Nothing if it is not such a text or names an index
/// from `max_array_size` on; slurmctld refuses that job.
/// Cost: that of sorting the ranges, whatever they span.
std::optional<std::uint32_t> count_array_tasks(std::string_view text, std::uint32_t max_array_size);

/// The first `most` indices of an --array text, its throttle kept: of "1-9:2,20%4" the first three are
/// "1-5:2%4". Indices that the text names twice count twice. Nothing if there is none or the text is not
/// understood.
/// Cost: linear in the text.
std::optional<std::string> first_of_array(std::string_view text, std::uint64_t most);

/// The number of nodes in a host list; an upper bound where names repeat. 0 for an empty list.
std::uint32_t count_nodes(std::string_view host_list);

} // namespace qg::gate
