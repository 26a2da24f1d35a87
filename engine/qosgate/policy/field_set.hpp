// SPDX-License-Identifier: GPL-2.0-or-later
//
// field_set: makes requests from fields by name, for tests of rules and for decisions of the past.
#pragma once

#include "qosgate/policy/fields.hpp"

namespace qg::policy {

/// Sets a field of a request, also one that rules only read. Empty values unset it. False: it is no field of
/// a request alone, such as a count or `uid`. Errors: invalid_input, naming the field, what was given and
/// what is allowed.
Result<bool> set_field(model::JobRequest& request, const FieldSpec& field, const Value& value);

} // namespace qg::policy
