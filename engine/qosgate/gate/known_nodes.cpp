// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/known_nodes.hpp"

#include "qosgate/gate/host_names.hpp"

#include <algorithm>
#include <utility>

namespace qg::gate {
namespace {

/// How many nodes of a list are looked up.
constexpr std::size_t max_nodes_read = 128;

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

} // namespace qg::gate
