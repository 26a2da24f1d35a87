// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/option_use.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/unknown_name.hpp"
#include "qosgate/policy/wrong_use.hpp"

#include <algorithm>
#include <vector>

namespace qg::policy {
namespace {

bool is_function(const Token& name) {
    return name.is_name() && std::ranges::find(option_functions, name.text) != option_functions.end();
}

/// The token `ahead` of the name of the object; the last one is the end.
const Token& after(std::span<const Token> use, std::size_t ahead) {
    return use[std::min(ahead, use.size() - 1)];
}

} // namespace

UseProblem find_option_problem(std::span<const Token> use) {
    const Token& name = after(use, 2);
    if (after(use, 1).is(":") && name.is_name() && !is_function(name)) {
        const std::vector<std::string> names(option_functions.begin(), option_functions.end());
        return UseProblem::failure(text::format("unknown function 'options:{}'{}{}",
                                                text::printable(name.text, 60),
                                                text::did_you_mean(name.text, names), list_of_names(names)));
    }
    if (after(use, 1).is(".") && is_function(name) &&
        (after(use, 3).is("(") || after(use, 3).kind == TokenKind::text))
        return UseProblem::failure(text::format("write options:{}(...), with a colon", name.text));
    if (!after(use, 1).is(":") || !is_function(name)) return {};
    return find_wrong_call(use.subspan(2), "options");
}

} // namespace qg::policy
