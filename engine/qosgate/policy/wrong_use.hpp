// SPDX-License-Identifier: GPL-2.0-or-later
//
// wrong_use: mistakes in the use of `job` that keep no file from loading: a rule fails, or says something
// wrong, when it comes to that line. Only what is certain from the text is told.
#pragma once

#include "qosgate/policy/fields.hpp"
#include "qosgate/policy/lua_tokens.hpp"

#include <span>
#include <string>

namespace qg::policy {

/// The mistake in a call of one of job's functions: wrong number or types of arguments, a format and values
/// that do not fit. `call` begins with the name of the function; the source goes on behind the call. Empty if
/// there is none. Cost: linear in the length of the call.
std::string describe_wrong_call(std::span<const Token> call);

/// The mistake in `job.FIELD = VALUE` if the value is a literal that the field does not take. `value` begins
/// behind the "=". Empty if there is none. The field is one that can be written.
std::string describe_wrong_value(const FieldSpec& field, std::span<const Token> value);

} // namespace qg::policy
