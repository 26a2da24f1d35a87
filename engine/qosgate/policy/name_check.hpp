// SPDX-License-Identifier: GPL-2.0-or-later
//
// name_check: finds misspelt names when a policy is loaded and not when the first job comes along: globals,
// the functions of the libraries, and the fields and functions of `job` where that is plainly the argument of
// a rule's submit function. It never complains of what could work: what is not certain (a name that was
// assigned, code inside pcall(function ...), a file that uses _ENV) is left to the checks while rules run.
// One thing it does take for a mistake: job.reject(x), where x could be another name for `job`.
#pragma once

#include "qosgate/base/result.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace qg::policy {

/// The globals of rule files, and for a library what is in it.
using KnownNames = std::map<std::string, std::set<std::string>, std::less<>>;

/// Errors: invalid_input for the first name that does not exist: "<file>:<line>: <what>; did you mean ...".
/// `source` must be a file that Lua compiles. Cost: linear in its size; no Lua.
Result<void> check_names(std::string_view source, std::string_view file, const KnownNames& known);

} // namespace qg::policy
