// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/nodes/reservations.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <span>
#include <string>

namespace qg::gate {
namespace {

/// Whether a list of users or accounts admits one of the names. A list whose entries begin with a minus
/// admits everybody except those that it names.
template <typename Names>
bool lists(std::span<const std::string> list, const Names& names) {
    const bool leaves_out = list.front().starts_with('-');
    const bool is_named = std::ranges::any_of(list, [&](std::string_view entry) {
        if (leaves_out)
            entry.remove_prefix(std::min<std::size_t>(entry.find_first_not_of('-'), entry.size()));
        return std::ranges::any_of(names, [&](std::string_view name) { return text::iequals(entry, name); });
    });
    return is_named != leaves_out;
}

/// The account of the job, and those above it.
std::vector<std::string_view> accounts_of(const model::AccountView& view) {
    std::vector<std::string_view> accounts{view.account};
    for (const model::Association& link : view.associations)
        accounts.push_back(link.account);
    return accounts;
}

} // namespace

bool is_for_user(const model::Reservation& reservation, const model::AccountView& view) {
    if (reservation.has_groups || (reservation.users.empty() && reservation.accounts.empty())) return false;
    return (reservation.users.empty() || lists(reservation.users, std::span(&view.user_name, 1))) &&
           (reservation.accounts.empty() || lists(reservation.accounts, accounts_of(view)));
}

bool is_for_others(const model::Reservation& reservation, const model::AccountView& view) {
    if (reservation.has_groups || view.user_name.empty()) return false;
    if (!reservation.users.empty() && !lists(reservation.users, std::span(&view.user_name, 1))) return true;
    if (reservation.accounts.empty()) return false;
    // slurmctld may hide accounts above (slurm/README.md 3.4).
    const auto& chain = view.associations;
    if (chain.empty() || chain.back().level != model::AssociationLevel::root) return false;
    return !lists(reservation.accounts, accounts_of(view));
}

bool may_tell(const model::Reservation& reservation, const model::AccountView& view) {
    return view.reader_is_operator || !view.hidden.reservations || is_for_user(reservation, view);
}

const model::Reservation* find_reservation(const model::KnownNames& known, std::string_view name) {
    const auto place = std::ranges::lower_bound(known.reservations, name, {}, &model::Reservation::name);
    return place != known.reservations.end() && place->name == name ? &*place : nullptr;
}

std::vector<const model::Reservation*> find_shown_reservations(const ResolvedRequest& asked) {
    constexpr std::size_t max_reservations = 8; // the nodes of each are read
    std::vector<const model::Reservation*> found;
    const auto& known = asked.context.cluster.names;
    if (!asked.request.reservation || !known) return found;
    bool are_all_shown = true;
    text::for_each_part(*asked.request.reservation, ',', [&](std::string_view name) {
        const model::Reservation* one = find_reservation(*known, name);
        are_all_shown = are_all_shown && one != nullptr && found.size() < max_reservations &&
                        may_tell(*one, asked.view());
        if (are_all_shown) found.push_back(one);
    });
    if (!are_all_shown) found.clear();
    return found;
}

std::uint64_t nodes_needed(const ResolvedRequest& asked) {
    const std::uint64_t sent = asked.counter.sent().nodes.value_or(1);
    const auto node = asked.known ? asked.view().tres->node() : std::nullopt;
    return node ? std::max(sent, model::count_at(asked.job.tres, *node)) : sent;
}

} // namespace qg::gate
