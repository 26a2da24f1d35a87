// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/nodes/known_nodes.hpp"

#include "qosgate/gate/nodes/host_names.hpp"
#include "qosgate/gate/size/ranges.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace qg::gate {
namespace {

/// How many nodes of a list are looked up.
constexpr std::size_t max_nodes_read = 128;

/// How many nodes of reservations are read: a submission with more must not cost more.
constexpr std::size_t max_reserved_nodes = 4096;

/// What to do about a name that no node has.
enum class AtUnknown : std::uint8_t { go_on, stop };

KnownNodes look_up_nodes(std::string_view list, const model::KnownNames& known, std::size_t max,
                         AtUnknown at_unknown) {
    HostNames hosts = first_hosts(list, max);
    KnownNodes nodes;
    nodes.is_whole = hosts.is_whole;
    for (std::string& name : hosts.names) {
        const auto found = std::ranges::lower_bound(known.nodes, name);
        if (found != known.nodes.end() && *found == name)
            nodes.indices.push_back(
                known.node_indices[static_cast<std::size_t>(found - known.nodes.begin())]);
        else if (!nodes.unknown)
            nodes.unknown = std::move(name);
        if (nodes.unknown && at_unknown == AtUnknown::stop) break;
    }
    std::ranges::sort(nodes.indices);
    nodes.indices.erase(std::unique(nodes.indices.begin(), nodes.indices.end()), nodes.indices.end());
    return nodes;
}

/// Adds the nodes between, as far as that many are looked up.
void fill_gaps(KnownNodes& nodes) {
    const std::uint32_t first = nodes.indices.front();
    const std::size_t count = std::size_t{nodes.indices.back()} - first + 1;
    nodes.is_whole = nodes.is_whole && count <= max_nodes_read;
    if (count > max_nodes_read) return;
    nodes.indices.resize(count);
    std::iota(nodes.indices.begin(), nodes.indices.end(), first);
}

std::uint32_t most_nodes_of_a_partition(const model::Cluster& cluster) {
    std::uint32_t most = 0;
    for (const auto& partition : cluster.partitions.all())
        most = std::max(most, partition->total_nodes);
    return most;
}

} // namespace

NamedNodes look_up_named_nodes(const model::JobRequest& request,
                               const std::optional<model::KnownNames>& known) {
    NamedNodes named;
    if (!known || known->nodes.empty()) return named;
    const auto look_up = [&known](std::string_view list) {
        return look_up_nodes(list, *known, max_nodes_read, AtUnknown::go_on);
    };
    if (request.required_nodes) named.required = look_up(*request.required_nodes);
    if (request.listed_nodes && !named.required.indices.empty()) fill_gaps(named.required);
    if (const auto excluded = request.nodes_to_exclude(); !excluded.empty())
        named.excluded = look_up(excluded);
    named.excluded.is_whole = named.excluded.is_whole && request.has_all_excluded;
    return named;
}

std::optional<std::uint32_t> count_with_gaps(std::string_view list, const model::Cluster& cluster) {
    constexpr std::size_t max_names = 4096; // a submission with more must not cost more
    const bool is_known = cluster.names && !cluster.names->nodes.empty();
    const KnownNodes nodes =
        is_known ? look_up_nodes(list, *cluster.names, max_names, AtUnknown::stop) : KnownNodes();
    if (is_known && (nodes.unknown || nodes.indices.empty())) return std::nullopt;
    if (!is_known || !nodes.is_whole) return std::max(most_nodes_of_a_partition(cluster), count_nodes(list));
    const std::uint32_t filled = nodes.indices.back() - nodes.indices.front() + 1;
    return filled == nodes.indices.size() ? std::nullopt : std::optional(filled);
}

bool NamedNodes::may_have(std::uint32_t node) const noexcept {
    return !knows_reserved() || model::has_node(reserved->ranges, node);
}

std::vector<model::NodeRange> ReservedNodes::in(const model::Partition& partition) const {
    std::vector<model::NodeRange> common;
    auto mine = ranges.begin();
    auto its = partition.nodes.begin();
    while (mine != ranges.end() && its != partition.nodes.end()) {
        const model::NodeRange both{std::max(mine->first, its->first), std::min(mine->last, its->last)};
        if (both.first <= both.last) common.push_back(both);
        if (mine->last < its->last)
            ++mine;
        else
            ++its;
    }
    return common;
}

std::optional<ReservedNodes> look_up_reserved(std::span<const model::Reservation* const> reservations) {
    if (reservations.empty()) return std::nullopt;
    ReservedNodes all;
    std::vector<model::NodeRange> ranges;
    std::uint64_t count = 0;
    bool knows_nodes = true;
    for (const model::Reservation* one : reservations) {
        if (!one->nodes || !one->cpus) return std::nullopt;
        all.cpus = std::max(all.cpus, *one->cpus);
        knows_nodes = knows_nodes && !one->node_ranges.empty();
        for (const model::NodeRange range : one->node_ranges) {
            count += std::uint64_t{range.last} - range.first + 1;
            knows_nodes = knows_nodes && range.last >= range.first && count <= max_reserved_nodes;
            if (knows_nodes) ranges.push_back(range);
        }
    }
    if (!knows_nodes) return all;
    std::ranges::sort(ranges, {}, &model::NodeRange::first);
    for (const model::NodeRange range : ranges)
        if (all.ranges.empty() || all.ranges.back().last < range.first)
            all.ranges.push_back(range);
        else
            all.ranges.back().last = std::max(all.ranges.back().last, range.last);
    return all;
}

} // namespace qg::gate
