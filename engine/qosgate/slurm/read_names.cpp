// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/read_names.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>

namespace qg::slurm {
namespace {

using Names = std::set<std::string, std::less<>>;

void add(Names& names, std::string_view name) {
    if (!name.empty() && !names.contains(name)) names.emplace(name);
}

void add_features(Names& names, const char* list) {
    text::for_each_part(view_text(list), ',', [&](std::string_view name) { add(names, name); });
}

/// Names and hostnames; jobs may use either to name nodes.
void add_node_names(model::KnownNames& names, std::span<const node_info_t> nodes) {
    std::vector<std::pair<std::string, std::uint32_t>> all;
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        for (const char* name : {nodes[i].name, nodes[i].node_hostname})
            if (is_set(name)) all.emplace_back(name, i);
    std::ranges::sort(all);
    names.nodes.clear();
    names.node_indices.clear();
    for (auto& [name, index] : all) {
        if (!names.nodes.empty() && names.nodes.back() == name) continue;
        names.nodes.push_back(std::move(name));
        names.node_indices.push_back(index);
    }
}

/// Whether jobs in it may use no other nodes. One of licenses only, for example, has none.
bool is_bound_to_nodes(const reserve_info_t& reservation) {
    return reservation.node_cnt > 0 && is_set(reservation.node_list) &&
           (reservation.flags & (RESERVE_FLAG_FLEX | RESERVE_FLAG_ANY_NODES)) == 0;
}

/// Empty: slurmctld replaces the nodes of such a reservation as jobs take them.
std::vector<model::NodeRange> lasting_nodes_of(const reserve_info_t& reservation) {
    if ((reservation.flags & RESERVE_FLAG_REPLACE) != 0) return {};
    return read_node_ranges(reservation.node_inx);
}

/// The CPUs in "cpu=8,node=1"; empty: not told.
std::optional<std::uint64_t> cpus_of(const reserve_info_t& reservation) {
    std::optional<std::uint64_t> cpus;
    text::for_each_part(view_text(reservation.tres_str), ',', [&](std::string_view part) {
        constexpr std::string_view name = "cpu=";
        if (part.starts_with(name)) cpus = text::parse_unsigned(part.substr(name.size()));
    });
    return cpus;
}

model::Reservation read_reservation(const reserve_info_t& reservation) {
    const auto names = [](const char* list) {
        const auto parts = text::split(view_text(list), ',');
        return std::vector<std::string>(parts.begin(), parts.end());
    };
    const bool is_bound = is_bound_to_nodes(reservation);
    return {.name = std::string(view_text(reservation.name)),
            .users = names(reservation.users),
            .accounts = names(reservation.accounts),
            .has_groups = is_set(reservation.groups),
            .partition = std::string(view_text(reservation.partition)),
            .nodes = is_bound ? std::optional(reservation.node_cnt) : std::nullopt,
            .node_ranges = is_bound ? lasting_nodes_of(reservation) : std::vector<model::NodeRange>(),
            .cpus = is_bound ? cpus_of(reservation) : std::nullopt,
            .start_time = static_cast<std::uint64_t>(reservation.start_time),
            .end_time = static_cast<std::uint64_t>(reservation.end_time)};
}

/// Names of some nodes.
struct Found {
    Names gres, features;

    void add(const node_info_t& node) {
        // Nodes of one kind are adjacent and have the same values.
        if (const std::string_view text = view_text(node.gres); text != last_gres_) {
            last_gres_ = text;
            for_each_gres(text, [&](std::string_view name, std::string_view type, std::uint64_t) {
                slurm::add(gres, name);
                if (!type.empty()) slurm::add(gres, text::format("{}:{}", name, type));
            });
        }
        if (view_text(node.features) != last_features_) add_features(features, node.features);
        if (view_text(node.features_act) != last_active_) add_features(features, node.features_act);
        last_features_ = view_text(node.features);
        last_active_ = view_text(node.features_act);
    }

  private:
    std::string_view last_gres_, last_features_, last_active_;
};

model::NamesOfNodes names_of(const Names& shown, const Names& others) {
    model::NamesOfNodes names;
    std::ranges::set_union(shown, others, std::back_inserter(names.all));
    std::ranges::set_difference(others, shown, std::back_inserter(names.hidden));
    return names;
}

} // namespace

std::optional<std::uint64_t> read_gres_count(std::string_view text) noexcept {
    constexpr std::string_view suffixes = "kmgtp";
    const auto suffix = text.empty() ? suffixes.npos : suffixes.find(text::to_lower(text.back()));
    if (suffix == suffixes.npos) return text::parse_unsigned(text);
    const auto count = text::parse_unsigned(text.substr(0, text.size() - 1));
    if (!count) return std::nullopt;
    const std::size_t shift = 10 * (suffix + 1);
    constexpr auto max = std::numeric_limits<std::uint64_t>::max();
    return *count > max >> shift ? max : *count << shift;
}

void add_names_of_nodes(model::KnownNames& names, std::span<const node_info_t> nodes,
                        const std::vector<bool>& is_shown) {
    Found shown, others;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        (i < is_shown.size() && is_shown[i] ? shown : others).add(nodes[i]);
    names.gres = names_of(shown.gres, others.gres);
    names.features = names_of(shown.features, others.features);
    add_node_names(names, nodes);
}

void update_names(model::KnownNames& names, const reserve_info_msg_t* reservations,
                  const license_info_msg_t* licenses) {
    if (reservations != nullptr) {
        names.reservations.clear();
        for (const reserve_info_t& one :
             std::span(reservations->reservation_array, reservations->record_count))
            names.reservations.push_back(read_reservation(one));
        names.has_floating_reservation = std::ranges::any_of(
            std::span(reservations->reservation_array, reservations->record_count),
            [](const reserve_info_t& one) { return (one.flags & RESERVE_FLAG_TIME_FLOAT) != 0; });
        names.reservations_read_at = reservations->last_update;
        std::ranges::sort(names.reservations, {}, &model::Reservation::name);
    }
    if (licenses != nullptr) {
        names.licenses.clear();
        for (const slurm_license_info_t& one : std::span(licenses->lic_array, licenses->num_lic))
            names.licenses.push_back({std::string(view_text(one.name)), one.total});
    }
}

} // namespace qg::slurm
