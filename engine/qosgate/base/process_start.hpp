// SPDX-License-Identifier: GPL-2.0-or-later
//
// When a process was started: its number alone may be another's by now.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace qg {

/// When a process of this machine was started, in clock ticks since the machine was. Nothing where there is
/// none of this number: one that has ended and that nobody has waited for counts as none.
std::optional<std::uint64_t> process_start(pid_t process);

} // namespace qg
