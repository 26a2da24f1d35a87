// SPDX-License-Identifier: GPL-2.0-or-later
//
// list_field: the fields whose text is a list, to which rules add with job:add.
#pragma once

#include "qosgate/base/result.hpp"

#include <string>
#include <string_view>

namespace qg::policy {

/// How the text of a field is a list.
struct ListForm {
    char joint = 0;   ///< between two parts; 0: the text is no list
    char key_end = 0; ///< ends the part's name, which the list has once: "matlab:2"; 0: the whole part is it

    [[nodiscard]] constexpr bool is_list() const noexcept { return joint != 0; }
};

/// The list with one more part, or as it was if it has the part. To a constraint with alternatives the part
/// is added with parentheses: "(a|b)&c". Errors: invalid_input for a part that is empty, longer than
/// max_added_part, or has a control character or a blank.
Result<std::string> add_to_list(std::string_view list, std::string_view part, ListForm form);

inline constexpr std::size_t max_added_part = 1024; ///< bytes

} // namespace qg::policy
