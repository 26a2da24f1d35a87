// SPDX-License-Identifier: GPL-2.0-or-later
//
// The size of a job while slurmctld works it out: what the client sent, then defaults, then what the generic
// resources asked for imply (limits/README.md 6.1, 6.2).
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/model/job_request.hpp"

#include <cstdint>
#include <optional>

namespace qg::gate {

/// Empty: not known to slurmctld yet, which then leaves out what depends on it.
struct JobSize {
    std::optional<std::uint64_t> nodes; ///< the least
    std::optional<std::uint64_t> max_nodes;
    std::optional<std::uint64_t> tasks;
    std::optional<std::uint64_t> cpus;

    friend bool operator==(const JobSize&, const JobSize&) = default;
};

/// The size as slurmctld compares it with the partitions: before any of them, or gres, changed it.
JobSize size_of(const model::JobRequest& request, limits::Release release);

} // namespace qg::gate
