// SPDX-License-Identifier: GPL-2.0-or-later
//
// The partitions of a job. The first one gives the job its defaults; the scheduler tries partitions with a
// higher PriorityTier first.
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace qg::gate {

/// The maximum of partitions of a request that are looked up.
inline constexpr std::size_t max_partitions = 64;

struct PartitionList {
    std::vector<std::shared_ptr<const model::Partition>> found; ///< in the order of the request
    std::vector<std::string> unknown; ///< names of no partition, or the text if it has none ("," but not "")
    bool is_cut = false;              ///< the request names more than `max_partitions`
};

/// The partitions that the request names, or the default partition. Empty if there is neither. If the job
/// gets its partitions now (`is_new`: it is submitted, or its partitions change), those of several that
/// accept no jobs are dropped if another one accepts jobs (limits/README.md 6.4). Cost: bounded by the text's
/// length and `max_partitions`.
PartitionList find_partitions(const model::JobRequest& request, const model::Cluster& cluster,
                              bool is_new = true);

/// An order of partitions.
class PartitionOrder {
  public:
    /// The order in which the job names them.
    explicit PartitionOrder(std::size_t count) noexcept : count_(count) {}
    /// The order in which slurmctld tries them: by PriorityTier, highest first.
    static PartitionOrder by_tier(const std::vector<model::PartitionChoice>& partitions);

    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    /// The index of the partition at `place`.
    [[nodiscard]] std::size_t operator[](std::size_t place) const noexcept {
        return is_as_named() ? place : indices_[place];
    }
    [[nodiscard]] bool is_as_named() const noexcept { return indices_.empty(); }

  private:
    std::size_t count_;
    std::vector<std::size_t> indices_; ///< empty: in the order named
};

} // namespace qg::gate
