// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counts list entries: array tasks ("0-15:4,20%2") and nodes ("n[1-4,7],x").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qg::gate {

/// The number of tasks of an --array text: its distinct indices. "%limit", brackets, empty parts and what
/// strtol skips before a number do not matter. If ranges with steps overlap in more than some thousand
/// indices, the result is an upper bound. Empty if it is not an --array text, or if it contains an index from
/// `max_array_size` on, because slurmctld refuses that job.
/// Cost: sorting the ranges, regardless of their lengths.
std::optional<std::uint32_t> count_array_tasks(std::string_view text, std::uint32_t max_array_size);

/// The largest index of an --array text; empty if it is not such a text.
std::optional<std::uint32_t> last_index_of_array(std::string_view text);

/// How many tasks of an --array text may run at once ("%2"); empty: any number.
std::optional<std::uint64_t> throttle_of_array(std::string_view text);

/// The first `max` indices of an --array text, with its throttle: the first three of "1-9:2,20%4" are
/// "1-5:2%4". An index that the text contains twice counts twice. Empty if the text is not readable or `max`
/// is 0.
/// Cost: linear in the text.
std::optional<std::string> first_of_array(std::string_view text, std::uint64_t max);

/// The number of nodes in a host list; an upper bound if it contains names twice. 0 for an empty list.
std::uint32_t count_nodes(std::string_view host_list);

} // namespace qg::gate
