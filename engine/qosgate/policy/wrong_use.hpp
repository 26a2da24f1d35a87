// SPDX-License-Identifier: GPL-2.0-or-later
//
// wrong_use: mistakes in calls of the functions of `job` and `options`, and in values that fields are given.
// Only what is certain from the text is told.
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

} // namespace qg::policy
