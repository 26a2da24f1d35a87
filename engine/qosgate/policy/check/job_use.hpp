// SPDX-License-Identifier: GPL-2.0-or-later
//
// job_use: mistakes in one use of `job`, `before` or `options`, or of a value that they give, in the text of
// a rule. A use is an `index` or `method` of the tree. The cost of each check is linear in the use's
// arguments.
#pragma once

#include "qosgate/policy/check/call_arguments.hpp"
#include "qosgate/policy/check/expression_types.hpp"

#include <array>
#include <set>
#include <string>
#include <string_view>

namespace qg::policy {

/// The functions of `options`, which are called with a colon.
inline constexpr std::array<std::string_view, 4> option_functions{"note", "reject", "stop", "warn"};

/// What is around a use.
struct UseFacts {
    const std::set<std::string>* text_functions = nullptr; ///< the members of `string`; null: not known
    const std::string* writable_env = nullptr; ///< the setting, names with commas; null: not known
};

/// A field or function of `job` or `before` that does not exist, or that cannot be used so.
UseProblem find_job_problem(const ExpressionTypes& types, NodeId use);

/// A function of `options` that does not exist, that is called with a dot, or with the wrong arguments. Which
/// options there are is only known in the client, so their names are not looked at.
UseProblem find_option_problem(const ExpressionTypes& types, NodeId use);

/// LIST.NAME, LIST["NAME"] and LIST:NAME(...): elements of lists have numbers.
UseProblem find_list_problem(const ExpressionTypes& types, NodeId use);

/// What the value of a field, or job.gpu, does not have: job.features:add(...), job.gpu.cout.
UseProblem find_field_problem(const ExpressionTypes& types, NodeId use, const UseFacts& facts);

/// A value of a field in an operator that does not take it: job.gpu > 2, job.partition == 5, job.qos + 1. The
/// node is `binary`; `operand` is the place of the value.
UseProblem find_operand_problem(const ExpressionTypes& types, NodeId binary, std::size_t operand);

} // namespace qg::policy
