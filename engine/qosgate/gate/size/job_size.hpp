// SPDX-License-Identifier: GPL-2.0-or-later
//
// The size of a job while slurmctld computes it: what the client sent, then defaults, then what its gres
// imply (limits/README.md 6.1, 6.2).
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/model/job_request.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace qg::gate {

/// The count in a request that is nearest to a number.
[[nodiscard]] inline std::uint32_t to_count(std::uint64_t value) noexcept {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

/// Empty: slurmctld does not know the value yet and skips what depends on it.
struct JobSize {
    std::optional<std::uint64_t> nodes; ///< the minimum
    std::optional<std::uint64_t> max_nodes;
    std::optional<std::uint64_t> tasks;
    std::optional<std::uint64_t> cpus;

    friend bool operator==(const JobSize&, const JobSize&) = default;
};

/// The size that slurmctld compares with the partitions, before partitions or gres change it.
JobSize size_of(const model::JobRequest& request, limits::Release release);

} // namespace qg::gate
