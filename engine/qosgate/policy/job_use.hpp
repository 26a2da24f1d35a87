// SPDX-License-Identifier: GPL-2.0-or-later
//
// job_use: mistakes in one use of `job`, `before` or `job.gpu` in the text of a rule.
#pragma once

#include "qosgate/policy/call_arguments.hpp"
#include "qosgate/policy/use_problem.hpp"

#include <cstdint>
#include <set>
#include <string>

namespace qg::policy {

/// The arguments of a rule's functions, whatever the rule calls them.
enum class JobName : std::uint8_t { job, before };

/// What is around a use.
struct JobUseFacts {
    bool has_string_library = true;                        ///< else the name `string` is a local
    const std::set<std::string>* text_functions = nullptr; ///< the members of `string`; null: not known
    const std::string* writable_env = nullptr; ///< the setting, names with commas; null: not known
};

/// A field or function that does not exist, or that cannot be used so. `source` is the whole source, `at` the
/// place of the object's name. Cost: bounded by a constant.
UseProblem find_job_problem(Tokens source, std::size_t at, JobName object, const JobUseFacts& facts);

/// The same for a name that is what job.gpu gives. `use` begins with the name.
UseProblem find_gpu_problem(Tokens use);

} // namespace qg::policy
