// SPDX-License-Identifier: GPL-2.0-or-later
//
// client_binding: the argument `options` of a rule's function for clients. One object per Lua state, made
// once; it shows the options of the present run's client.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/client_host.hpp"
#include "qosgate/policy/value.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

struct lua_State;

namespace qg::policy {

/// Makes the state's object `options`. Returns its reference in the registry. Inside a protected call.
int make_options(lua_State* lua);

// ---- what rules write to options -----------------------------------------------------------------------

/// The longest value of an option that rules read or write, in bytes.
inline constexpr std::size_t max_option_bytes = 32768;
/// How many options the rules may change for one job.
inline constexpr std::size_t max_option_changes = 64;

/// The name that a client knows for the one that a rule writes: options.mem_per_cpu is --mem-per-cpu.
std::string to_option_name(std::string_view written);

/// The change that a rule writes. Errors: invalid_input for an option that the client does not have, and for
/// a value that it does not take; the message names the option and what is allowed.
Result<OptionChange> to_option_change(ClientHost& client, std::string_view name, const Value& value);

/// "this sbatch has no option --tiem; did you mean time?"
std::string describe_unknown_option(const ClientHost& client, std::string_view name);

/// "1:00:00", "(set)", "(unset)".
std::string show(const OptionValue& value);

/// Adds a change; it takes the place of an earlier one of the same option.
void add_change(std::vector<OptionChange>& changes, OptionChange change);

} // namespace qg::policy
