// SPDX-License-Identifier: GPL-2.0-or-later
//
// An error: a code for callers, and a text for people that says where, what and why.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace qg {

/// Why an operation failed. Callers branch on the code.
enum class ErrorCode {
    invalid_input,     ///< the caller's text or values are wrong; trying again unchanged cannot help
    not_found,         ///< the thing named does not exist
    already_exists,    ///< the thing named exists already
    permission_denied, ///< the caller may not do this, or a file's owner or mode makes it untrustworthy
    unavailable,       ///< a service or file is out of reach now; trying later can help
    conflict,          ///< something changed meanwhile, or still uses what is to be removed
    unsupported,       ///< this build or this Slurm release cannot do it
    limit_exceeded,    ///< a bound on time, memory or size was hit
    internal,          ///< a bug in this program
};

/// Short stable name of a code, as shown in JSON output ("not_found").
std::string_view to_string(ErrorCode code) noexcept;

/// An expected failure: a value that travels up in a Result.
struct Error {
    ErrorCode code = ErrorCode::internal;
    std::string message; ///< "<where>: <what>: <why>", without a final period or newline

    /// The same error with `where` in front of its message, for the caller's caller.
    [[nodiscard]] Error in(std::string_view where) const&;
};

/// The caller's text or values are wrong.
[[nodiscard]] inline Error invalid(std::string message) {
    return {ErrorCode::invalid_input, std::move(message)};
}

} // namespace qg
