// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts of a heterogeneous job, which slurmctld judges one after the other and then together: whatever
// QOS a part has, all parts of its association must keep the limits that refuse (seen with 22.05.8).
#pragma once

#include "qosgate/gate/resolve.hpp"

#include <optional>
#include <string>
#include <vector>

namespace qg::gate {

/// What the parts of one job come to so far.
/// Threads: not thread-safe.
class HetParts {
  public:
    /// No part yet.
    void clear() noexcept {
        parts_.clear();
        is_told_ = false;
    }

    /// Adds a part that is accepted by itself. The line for the user where it is the one with which the parts
    /// exceed a limit that refuses, or one that never lets them start together; told once. Beyond the first
    /// parts of a job nothing is known, and nothing where a release tries each part with what the others use
    /// (limits/README.md 6.4).
    /// Cost: as many evaluations as there are parts, at most 16; they are copied.
    std::optional<std::string> add(const Resolved& resolved, limits::Release release);

  private:
    struct Part {
        model::AccountView view;
        model::ResolvedJob job;
    };

    [[nodiscard]] model::ResolvedJob sum_with(const Part& part) const;
    [[nodiscard]] std::optional<std::string> find_what_never_starts(limits::Release release);

    std::vector<Part> parts_;
    bool is_told_ = false;
};

} // namespace qg::gate
