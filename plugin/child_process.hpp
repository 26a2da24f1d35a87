// SPDX-License-Identifier: GPL-2.0-or-later
//
// Work in a process of its own with a deadline: whatever it does or fails to do, the caller goes on.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace qg::plugin {

/// What `work` writes by its argument, or empty if it has not ended in time or the process cannot be started.
/// The process is a copy of the caller's, with nothing on standard output and error; it ends without cleaning
/// up, at the deadline at the latest, and with its caller. `work` may extend the deadline once: a first call
/// of `allow` with the time from the start. Threads: the caller has one thread. Cost: one fork; up to the
/// deadline.
std::optional<std::string> run_in_child(
    std::chrono::milliseconds deadline,
    const std::function<std::string(const std::function<void(std::chrono::milliseconds)>& allow)>& work);

} // namespace qg::plugin
