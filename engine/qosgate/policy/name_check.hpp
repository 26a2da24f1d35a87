// SPDX-License-Identifier: GPL-2.0-or-later
//
// name_check: finds misspelt names when a policy is loaded, before the first job: globals, the functions of
// the libraries, and the fields and functions of `job` and `before` if they certainly are the arguments of a
// rule's function. It never reports code that could work: uncertain cases (a name that was assigned, code
// inside pcall(function ...), a file that uses _ENV) are left to the checks while rules run. One exception:
// it reports job.reject(x) although x could be another name for `job`. What follows from the convention for
// modules (CodeKind) is documented for their authors.
#pragma once

#include "qosgate/base/result.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

/// The globals of a kind of file, and the members of libraries; of `require` and `data`, the names that they
/// take.
using KnownNames = std::map<std::string, std::set<std::string>, std::less<>>;

/// Whose code it is. In a module every parameter with the name `job` or `before` is that object.
enum class CodeKind : std::uint8_t { settings, rule, module };

/// Errors: invalid_input for the first name that does not exist: "<file>:<line>: <what>; did you mean ...".
/// `source` must be a file that Lua compiles. Cost: linear in its size; no Lua.
Result<void> check_names(std::string_view source, std::string_view file, const KnownNames& known,
                         CodeKind kind = CodeKind::rule);

/// One mistake in a source.
struct CodeProblem {
    int line = 0;
    std::string message;       ///< "unknown field 'node' of job; did you mean nodes?"
    bool stops_loading = true; ///< whether check_names() reports it, too
};

/// All names that do not exist, in the order of the source. Also mistakes that do not keep a file from
/// loading, but that a rule certainly makes when it runs: see wrong_use.hpp; and a submit function that does
/// nothing. `source` and cost as for check_names(). `writable_env` is the setting, names with commas; null:
/// not known.
std::vector<CodeProblem> find_code_problems(std::string_view source, const KnownNames& known,
                                            CodeKind kind = CodeKind::rule,
                                            const std::string* writable_env = nullptr);

} // namespace qg::policy
