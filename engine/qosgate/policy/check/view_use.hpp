// SPDX-License-Identifier: GPL-2.0-or-later
//
// view_use: mistakes in one use of `view`, or of an object that it gives, in the text of a rule.
#pragma once

#include "qosgate/policy/check/call_arguments.hpp"
#include "qosgate/policy/check/expression_types.hpp"

namespace qg::policy {

/// The function that a call is one of: view.qos(name), qos:headroom(). Null: it is none of view.
const ViewFunction* find_called_function(const ExpressionTypes& types, NodeId call) noexcept;

/// The mistake in such a call, as far as literals show it. Cost: linear in its arguments.
UseProblem find_view_call_problem(const ExpressionTypes& types, NodeId call);

/// The mistake in one use of an object of view, or of one of its functions: an `index`, `call` or `method`.
/// Cost: likewise.
UseProblem find_view_problem(const ExpressionTypes& types, NodeId use);

} // namespace qg::policy
