// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which variables of a job's environment rules may write: those that the setting writable_env names, and
// never one by which a program would run other code, or by which Slurm is steered.
#pragma once

#include "qosgate/policy/lua/lua_state.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace qg::policy {

inline constexpr std::size_t max_written_variables = 64; ///< of one job
inline constexpr std::size_t max_variable_bytes = 4096;  ///< of a value

/// Why a name, or a beginning of names with `*`, cannot be allowed; empty: it can.
std::string why_not_writable(std::string_view pattern);

/// Sets `error` if the setting (names with commas) does not allow the variable, or the value is none.
void check_variable(std::string_view setting, std::string_view name, std::string_view value,
                    ErrorText& error) noexcept;

} // namespace qg::policy
