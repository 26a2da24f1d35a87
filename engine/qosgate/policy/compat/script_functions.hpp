// SPDX-License-Identifier: GPL-2.0-or-later
//
// script_functions: the functions in the text of a script for job_submit/lua that slurmctld calls.
#pragma once

#include "qosgate/policy/lua_tokens.hpp"
#include "qosgate/policy/name_scopes.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace qg::policy::compat {

inline constexpr const char* submit_function = "slurm_job_submit";
inline constexpr const char* modify_function = "slurm_job_modify";

/// The place in NameScopes::functions of `function NAME(...)`, or of `NAME = function(...)`; of several, the
/// last one. Empty: the text has none, though the script may still get one, for example from a module.
std::optional<std::size_t> find_script_function(std::span<const Token> tokens, const NameScopes& scopes,
                                                std::string_view name);

/// Whether one of the functions may look at part_list. In doubt it may. Cost: linear.
bool reads_partitions(std::string_view source);

} // namespace qg::policy::compat
