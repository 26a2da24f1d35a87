// SPDX-License-Identifier: GPL-2.0-or-later
//
// job_use: mistakes in one use of `job` or `before` in the text of a rule.
#pragma once

#include "qosgate/policy/lua_tokens.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace qg::policy {

/// The arguments of a rule's functions, whatever the rule calls them.
enum class JobName : std::uint8_t { job, before };

/// A field or function that does not exist, or that cannot be used so: the rule would fail there. Empty if
/// there is none. `use` begins with the name of the object; the source goes on behind it. Without
/// `has_string_library` the name `string` is a local. Cost: constant.
std::string describe_unknown_use(std::span<const Token> use, JobName object, bool has_string_library);

/// Another mistake, which does not keep the file from loading (wrong_use.hpp), of a use without one of the
/// mistakes above. Empty if there is none. `writable_env` is the setting, names with commas; null: not known.
std::string describe_suspicious_use(std::span<const Token> use, JobName object,
                                    const std::string* writable_env);

} // namespace qg::policy
