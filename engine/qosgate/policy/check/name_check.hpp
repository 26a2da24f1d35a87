// SPDX-License-Identifier: GPL-2.0-or-later
//
// name_check: finds mistakes in the text of a policy when it is loaded, before the first job: misspelt
// globals, fields and functions of `job`, `before`, `options`, `view`, of libraries and modules, and calls
// and values with which a rule certainly fails when it comes to that line. It never reports code that could
// work: uncertain cases (a name that was assigned, code inside pcall(function ...), a file that uses _ENV)
// are left to the checks while rules run. One exception: it reports job.reject(x) although x could be another
// name for `job`. What follows from the convention for modules (CodeKind) is documented for their authors.
#pragma once

#include "qosgate/base/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

/// The globals of a kind of file, and the members of libraries; of `require` and `data`, the names that they
/// take.
using KnownNames = std::map<std::string, std::set<std::string>, std::less<>>;

/// A member of a module's table.
struct ModuleMember {
    bool is_function = false;
    std::optional<std::size_t> parameters = {}; ///< of a function; empty: it takes any number
};

/// What require("NAME") gives.
struct ModuleMembers {
    bool is_shipped = false; ///< then each parameter needs an argument
    std::map<std::string, ModuleMember, std::less<>> members;
};
using KnownModules = std::map<std::string, ModuleMembers, std::less<>>;

/// Whose code it is. In a module every parameter with the name `job`, `before` or `view` is that object.
enum class CodeKind : std::uint8_t { settings, rule, module };

/// What is known beside the source.
struct CodeFacts {
    CodeKind kind = CodeKind::rule;
    const KnownModules* modules = nullptr;     ///< null: not known
    const std::string* writable_env = nullptr; ///< the setting, names with commas; null: not known
};

/// Errors: invalid_input for the first mistake that keeps a file from loading: "<file>:<line>: <what>; did
/// you mean
/// ...". `source` must be a file that Lua compiles. Cost: linear in its size; no Lua.
Result<void> check_names(std::string_view source, std::string_view file, const KnownNames& known,
                         const CodeFacts& facts = {});

/// One mistake in a source.
struct CodeProblem {
    int line = 0;
    std::string message;       ///< "unknown field 'node' of job; did you mean nodes?"
    bool stops_loading = true; ///< whether check_names() reports it, too
};

/// All mistakes, in the order of the source. Also those that do not keep a file from loading, because the
/// rule goes on after them: a message without its values, a comparison that is never true, a submit function
/// that does nothing. `source` and cost as for check_names().
std::vector<CodeProblem> find_code_problems(std::string_view source, const KnownNames& known,
                                            const CodeFacts& facts = {});

} // namespace qg::policy
