// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/known_names.hpp"

#include "qosgate/slurm/values.hpp"

#include <set>
#include <string>

namespace qg::slurm {
namespace {

using Names = std::set<std::string, std::less<>>;

void add(Names& names, std::string_view name) {
    if (!name.empty() && !names.contains(name)) names.emplace(name);
}

void add_features(Names& names, const char* list) {
    text::for_each_part(view_text(list), ',', [&](std::string_view name) { add(names, name); });
}

model::Reservation read_reservation(const reserve_info_t& reservation) {
    const auto names = [](const char* list) {
        const auto parts = text::split(view_text(list), ',');
        return std::vector<std::string>(parts.begin(), parts.end());
    };
    return {.name = std::string(view_text(reservation.name)),
            .users = names(reservation.users),
            .accounts = names(reservation.accounts),
            .has_groups = is_set(reservation.groups)};
}

} // namespace

void add_names_of_nodes(model::KnownNames& names, std::span<const node_info_t> nodes) {
    Names gres, features;
    // Nodes of one kind stand side by side and say the same.
    std::string_view last_gres, last_features, last_active;
    for (const node_info_t& node : nodes) {
        if (const std::string_view text = view_text(node.gres); text != last_gres) {
            last_gres = text;
            for_each_gres(text, [&](std::string_view name, std::string_view type, std::uint64_t) {
                add(gres, name);
                if (!type.empty()) add(gres, text::format("{}:{}", name, type));
            });
        }
        if (view_text(node.features) != last_features) add_features(features, node.features);
        if (view_text(node.features_act) != last_active) add_features(features, node.features_act);
        last_features = view_text(node.features);
        last_active = view_text(node.features_act);
    }
    names.gres.assign(gres.begin(), gres.end());
    names.features.assign(features.begin(), features.end());
}

void update_names(model::KnownNames& names, const reserve_info_msg_t* reservations,
                  const license_info_msg_t* licenses) {
    if (reservations != nullptr) {
        names.reservations.clear();
        for (const reserve_info_t& one :
             std::span(reservations->reservation_array, reservations->record_count))
            names.reservations.push_back(read_reservation(one));
        std::ranges::sort(names.reservations, {}, &model::Reservation::name);
    }
    if (licenses != nullptr) {
        names.licenses.clear();
        for (const slurm_license_info_t& one : std::span(licenses->lic_array, licenses->num_lic))
            names.licenses.push_back({std::string(view_text(one.name)), one.total});
    }
}

} // namespace qg::slurm
