// SPDX-License-Identifier: GPL-2.0-or-later
//
// field_use: mistakes in what the text of a rule does with the value of a field, by the field's type.
#pragma once

#include "qosgate/policy/call_arguments.hpp"
#include "qosgate/policy/fields.hpp"
#include "qosgate/policy/use_problem.hpp"

#include <cstddef>
#include <set>
#include <string>

namespace qg::policy {

/// The mistake in one read of a field: job.features:add(...), job.gpu > 2, job.partition == 5. The `length`
/// tokens at `at` of the source name it. `text_functions` are the members of `string`; null: not known. Cost:
/// constant.
UseProblem find_field_problem(Tokens source, std::size_t at, std::size_t length, const FieldSpec& field,
                              const std::set<std::string>* text_functions);

} // namespace qg::policy
