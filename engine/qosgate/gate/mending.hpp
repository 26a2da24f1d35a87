// SPDX-License-Identifier: GPL-2.0-or-later
//
// Changes a request so that one limit or one partition takes it, as little as may be. Each function tells
// whether it changed anything; what that leads to is the caller's to find out.
#pragma once

#include "qosgate/gate/fit_size.hpp"
#include "qosgate/gate/forecast.hpp"
#include "qosgate/limits/violation.hpp"

#include <optional>

namespace qg::gate {

/// Ownership: borrows all of it.
class Mending {
  public:
    /// `job` is what `request` comes to, `time` the limit that slurmctld would give it.
    Mending(model::JobRequest& request, const model::ResolvedJob& job, const model::AccountView& view,
            std::optional<TimeLimit> time)
        : request_(request), job_(job), view_(view), time_(time) {}

    bool meet(const limits::Violation& violation);

    /// Meets a partition's bounds of time and size, as far as the job's QOS does not go past them.
    bool fit_into(const model::Partition& partition);
    /// The bounds of size alone.
    bool fit_size_into(const model::Partition& partition);

  private:
    bool meet_tres(const limits::Violation& violation, std::size_t tres);
    bool scale_time(const limits::Violation& violation);
    bool shorten_to(std::uint64_t minutes);
    bool fit_time_into(const model::Partition& partition);
    bool meet_gres(Amount amount, std::size_t tres);
    [[nodiscard]] std::uint64_t nodes() const;
    [[nodiscard]] std::uint64_t cpus_per_node() const;

    model::JobRequest& request_;
    const model::ResolvedJob& job_;
    const model::AccountView& view_;
    std::optional<TimeLimit> time_;
};

} // namespace qg::gate
