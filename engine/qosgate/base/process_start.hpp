// SPDX-License-Identifier: GPL-2.0-or-later
//
// When a process was started. A process id alone does not identify a process: the system uses ids again.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace qg {

/// When a process of this machine was started, in clock ticks since boot. Empty if there is no such process.
/// A zombie (ended, but not waited for) counts as no process.
std::optional<std::uint64_t> process_start(pid_t process);

/// How long such a process has run. Empty likewise.
std::optional<std::chrono::milliseconds> process_age(pid_t process);

} // namespace qg
