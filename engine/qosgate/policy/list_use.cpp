// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/list_use.hpp"

#include "qosgate/base/text.hpp"

namespace qg::policy {

UseProblem find_list_problem(Tokens use, std::string_view list) {
    const Token& sign = token_at(use, 0);
    const Token& name = token_at(use, 1);
    const bool is_member = (sign.is(".") || sign.is(":")) && name.is_name();
    const bool is_index = sign.is("[") && name.kind == TokenKind::text && token_at(use, 2).is("]");
    if (!is_member && !is_index) return {};
    const std::string message =
        text::format("{0} is a list and has no '{1}': write for _, one in ipairs({0}) do ... end", list,
                     text::printable(name.text, 60));
    // A member that is read is nil, and nil cannot be called.
    return sign.is(":") ? UseProblem::failure(message) : UseProblem::warning(message);
}

} // namespace qg::policy
