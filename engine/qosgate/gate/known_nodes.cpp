// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/known_nodes.hpp"

#include "qosgate/gate/host_names.hpp"

#include <algorithm>
#include <utility>

namespace qg::gate {
namespace {

/// How many nodes of a list are looked up.
constexpr std::size_t max_nodes_read = 128;

/// How many nodes of reservations are read: a submission with more must not cost more.
constexpr std::size_t max_reserved_nodes = 4096;

KnownNodes look_up_nodes(std::string_view list, const model::KnownNames& known) {
    HostNames hosts = first_hosts(list, max_nodes_read);
    KnownNodes nodes;
    nodes.is_whole = hosts.is_whole;
    for (std::string& name : hosts.names) {
        const auto found = std::ranges::lower_bound(known.nodes, name);
        if (found != known.nodes.end() && *found == name)
            nodes.indices.push_back(
                known.node_indices[static_cast<std::size_t>(found - known.nodes.begin())]);
        else if (!nodes.unknown)
            nodes.unknown = std::move(name);
    }
    std::ranges::sort(nodes.indices);
    nodes.indices.erase(std::unique(nodes.indices.begin(), nodes.indices.end()), nodes.indices.end());
    return nodes;
}

} // namespace

NamedNodes look_up_named_nodes(const model::JobRequest& request,
                               const std::optional<model::KnownNames>& known) {
    NamedNodes named;
    if (!known || known->nodes.empty()) return named;
    if (request.required_nodes) named.required = look_up_nodes(*request.required_nodes, *known);
    if (const auto excluded = request.nodes_to_exclude(); !excluded.empty())
        named.excluded = look_up_nodes(excluded, *known);
    named.excluded.is_whole = named.excluded.is_whole && request.has_all_excluded;
    return named;
}

bool NamedNodes::may_have(std::uint32_t node) const noexcept {
    return !knows_reserved() || std::ranges::binary_search(reserved->indices, node);
}

std::optional<ReservedNodes> look_up_reserved(std::span<const model::Reservation* const> reservations) {
    if (reservations.empty()) return std::nullopt;
    ReservedNodes all;
    bool knows_nodes = true;
    for (const model::Reservation* one : reservations) {
        if (!one->nodes || !one->cpus) return std::nullopt;
        all.cpus = std::max(all.cpus, *one->cpus);
        knows_nodes = knows_nodes && !one->node_ranges.empty();
        for (const auto [first, last] : one->node_ranges) {
            knows_nodes =
                knows_nodes && last >= first && last - first < max_reserved_nodes - all.indices.size();
            for (std::uint32_t i = 0; knows_nodes && i <= last - first; ++i)
                all.indices.push_back(first + i);
        }
    }
    if (!knows_nodes) all.indices.clear();
    std::ranges::sort(all.indices);
    all.indices.erase(std::unique(all.indices.begin(), all.indices.end()), all.indices.end());
    return all;
}

} // namespace qg::gate
