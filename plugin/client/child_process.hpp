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
    std::string bytes; ///< the answer; of work that did not end, what it has sent
};

/// How work speaks to the process that waits for it.
class ChildLine {
  public:
    /// Moves the deadline to this time from the start. Only the first call, before the first send(), counts.
    virtual void allow(std::chrono::milliseconds time) = 0;
    /// Sends a part of the answer now.
    virtual void send(const std::string& bytes) = 0;

  protected:
    ~ChildLine() = default;
};

/// Runs `work`; the answer is what it sends, and then what it returns. The process is a copy of the caller's,
/// with nothing on standard output and error; it ends without cleaning up, at the deadline at the latest, and
/// with its caller. Threads: the caller has one thread. Cost: one fork; up to the deadline.
ChildResult run_in_child(std::chrono::milliseconds deadline,
                         const std::function<std::string(ChildLine& line)>& work);

} // namespace qg::plugin
