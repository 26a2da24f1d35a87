// SPDX-License-Identifier: GPL-2.0-or-later
//
// Messages about unknown names: for administrators with a list of all names, for users without it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace qg::policy {

/// " (there are: qos, partition)", to be added to a complaint.
std::string list_of_names(std::span<const std::string> names);

/// " (all names: qosgate policy api)", for names that are too many for a message.
std::string_view pointer_to_names() noexcept;

/// The one or the other, by the number of names. The names are those that `qosgate policy api` has.
std::string list_or_pointer(std::span<const std::string> names);

/// A message for users, without the lists of names and the pointers to them. A near miss stays.
std::string without_lists(std::string_view message);

} // namespace qg::policy
