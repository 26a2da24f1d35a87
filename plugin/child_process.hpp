// SPDX-License-Identifier: GPL-2.0-or-later
//
// Work in a process of its own with a deadline: whatever it does or fails to do, the caller goes on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace qg::plugin {

/// How the work ended.
enum class ChildEnd : std::uint8_t {
    answered,
    late,   ///< not before the deadline
    failed, ///< the process could not be started, ended early, or answered more than is read
};

struct ChildResult {
    ChildEnd end = ChildEnd::failed;
    std::string bytes; ///< the answer
};

/// Runs `work`; the answer is what it returns. The process is a copy of the caller's, with nothing on
/// standard output and error; it ends without cleaning up, at the deadline at the latest, and with its
/// caller. `work` may move the deadline once: a first call of `allow` with the time from the start. Threads:
/// the caller has one thread. Cost: one fork; up to the deadline.
ChildResult run_in_child(
    std::chrono::milliseconds deadline,
    const std::function<std::string(const std::function<void(std::chrono::milliseconds)>& allow)>& work);

} // namespace qg::plugin
