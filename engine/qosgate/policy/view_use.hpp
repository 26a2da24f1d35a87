// SPDX-License-Identifier: GPL-2.0-or-later
//
// view_use: mistakes in one use of `view`, or of an object that it gives, in the text of a rule.
#pragma once

#include "qosgate/policy/lua_tokens.hpp"
#include "qosgate/policy/use_problem.hpp"
#include "qosgate/policy/view_table.hpp"

#include <optional>
#include <span>
#include <string>

namespace qg::policy {

/// What `view.user.name` and the like are, from the name of the object on.
struct ViewUse {
    UseProblem problem;
    std::optional<ViewKind> kind; ///< of the value; empty: it is no object, or not known
    bool is_list = false;         ///< whether the value is a list
    std::size_t length = 1;       ///< in tokens
    std::size_t job_argument =
        0; ///< the place of the name that is given as the job: qos:fits(NAME); 0: there is none
    const ViewFunction* with_job = nullptr; ///< which function takes it
};

/// Reads a use of an object of this kind. `tokens` begin with the name of the object; the source goes on
/// behind it. Cost: linear in the length of the use.
ViewUse read_view_use(std::span<const Token> tokens, ViewKind kind);

/// Why a function does not take what it is called with: "write qos:fits(job): it takes the rule's job".
std::string describe_call_with_job(const ViewFunction& function);

} // namespace qg::policy
