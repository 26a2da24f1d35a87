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

/// A message for users, without the lists of names. A near miss stays.
std::string without_lists(std::string_view message);

} // namespace qg::policy
