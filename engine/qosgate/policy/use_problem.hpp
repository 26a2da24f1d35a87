// SPDX-License-Identifier: GPL-2.0-or-later
//
// use_problem: a mistake in one use of a name in the text of a rule.
#pragma once

#include <string>
#include <utility>

namespace qg::policy {

/// Empty if there is none.
struct UseProblem {
    std::string message;
    bool is_failure = true; ///< whether the rule certainly fails there; else it goes on

    [[nodiscard]] bool empty() const noexcept { return message.empty(); }

    static UseProblem failure(std::string message) { return {std::move(message), true}; }
    static UseProblem warning(std::string message) { return {std::move(message), false}; }
};

} // namespace qg::policy
