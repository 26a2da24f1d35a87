// SPDX-License-Identifier: GPL-2.0-or-later
//
// wrong_use: mistakes in calls of the functions of `job` and `options`, in values that fields are given, and
// in uses of lists that `job` and `view` give. Only what is certain from the text is told.
#pragma once

#include "qosgate/policy/call_arguments.hpp"
#include "qosgate/policy/fields.hpp"
#include "qosgate/policy/use_problem.hpp"

#include <string_view>

namespace qg::policy {

/// The mistake in a call of one of an object's functions: wrong number or types of arguments, a format and
/// values that do not fit. `call` begins with the name of the function; the source goes on behind the call.
/// `object` is "job", "before" or "options". Cost: bounded by a constant.
UseProblem find_wrong_call(Tokens call, std::string_view object);

/// The mistake in `job.FIELD = VALUE` if the value is a literal that the field does not take. `value` begins
/// behind the "=". The field is one that can be written.
UseProblem find_wrong_value(const FieldSpec& field, Tokens value);

/// Whether a value of this type is a list.
constexpr bool is_list(FieldType type) noexcept {
    return type == FieldType::gpu_list || type == FieldType::arguments || type == FieldType::feature_names ||
           type == FieldType::script_options;
}

/// The mistake in LIST.NAME, LIST["NAME"] and LIST:NAME(...): elements of lists have numbers. `use` begins
/// behind the list; `list` is how messages call it. Cost: constant.
UseProblem find_list_problem(Tokens use, std::string_view list);

} // namespace qg::policy
