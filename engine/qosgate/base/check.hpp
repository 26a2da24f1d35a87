// SPDX-License-Identifier: GPL-2.0-or-later
//
// QG_CHECK: a condition that only a bug can break. It throws. The plugin's entry boundary turns the exception
// into the configured fallback, programs turn it into exit status 70. It never aborts: the host may be
// slurmctld.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace qg {

/// A bug in qosgate, found while running.
class InternalError : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

/// Throws InternalError naming the place and the condition.
[[noreturn]] inline void throw_internal_error(const char* condition,
                                              std::source_location at = std::source_location::current()) {
    throw InternalError(std::string(at.file_name()) + ":" + std::to_string(at.line()) +
                        ": check failed: " + condition);
}

} // namespace qg

#define QG_CHECK(condition)                                                                                  \
    do {                                                                                                     \
        if (!(condition)) ::qg::throw_internal_error(#condition);                                            \
    } while (false)
