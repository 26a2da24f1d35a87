// SPDX-License-Identifier: GPL-2.0-or-later
//
// list_field: the fields whose text is a list, to which rules add with job:add.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/job_field.hpp"

#include <string>
#include <string_view>

namespace qg::policy {

using model::ListForm;

/// Takes the first part off a list, which is not empty. Parts end at one of the separators; blanks around
/// them are left out.
std::string_view take_part(std::string_view& list, std::string_view separators) noexcept;

inline constexpr std::size_t max_added_part = 1024; ///< bytes

/// The list with one more part that must hold, too; as it was if it has the part. Features with alternatives
/// get parentheses: "(a|b)&c".
/// Errors: invalid_input for a part that is empty, longer than max_added_part, or has a blank, a control
/// character or a separator; and for a list to which nothing can be added so that both hold: features with
/// counts or brackets, dependencies of which one suffices, licenses with alternatives.
Result<std::string> add_to_list(std::string_view list, std::string_view part, ListForm form);

} // namespace qg::policy
