// SPDX-License-Identifier: GPL-2.0-or-later
//
// list_use: mistakes in uses of lists that `job` and `view` give, in the text of a rule.
#pragma once

#include "qosgate/policy/call_arguments.hpp"
#include "qosgate/policy/fields.hpp"
#include "qosgate/policy/use_problem.hpp"

#include <string_view>

namespace qg::policy {

/// Whether a value of this type is a list.
constexpr bool is_list(FieldType type) noexcept {
    return type == FieldType::gpu_list || type == FieldType::arguments || type == FieldType::feature_names ||
           type == FieldType::script_options;
}

/// The mistake in LIST.NAME, LIST["NAME"] and LIST:NAME(...): elements of lists have numbers. `use` begins
/// behind the list; `list` is how messages call it. Cost: constant.
UseProblem find_list_problem(Tokens use, std::string_view list);

} // namespace qg::policy
