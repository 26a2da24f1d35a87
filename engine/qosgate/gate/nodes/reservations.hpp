// SPDX-License-Identifier: GPL-2.0-or-later
//
// The reservations that a job names, and whom they are for.
#pragma once

#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/model/known_names.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace qg::gate {

/// Whether the job's user, with its accounts, certainly may use a reservation.
bool is_for_user(const model::Reservation& reservation, const model::AccountView& view);

/// Whether a reservation certainly is not for the job's user, with its accounts.
bool is_for_others(const model::Reservation& reservation, const model::AccountView& view);

/// Whether the reader may be told the size of a reservation.
bool may_tell(const model::Reservation& reservation, const model::AccountView& view);

/// Null: none of that name is known.
const model::Reservation* find_reservation(const model::KnownNames& known, std::string_view name);

/// All reservations of the job; empty if it names none or many, or if one is not known or may not be told.
std::vector<const model::Reservation*> find_shown_reservations(const ResolvedRequest& asked);

/// The nodes that a new job needs: those that it asks for, raised to MinNodes of its partitions.
std::uint64_t nodes_needed(const ResolvedRequest& asked);

} // namespace qg::gate
