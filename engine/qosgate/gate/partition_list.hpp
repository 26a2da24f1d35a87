// SPDX-License-Identifier: GPL-2.0-or-later
//
// The partitions a job may run in. The first that it names gives the job its defaults; the scheduler tries
// those of a higher tier first.
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

/// So many partitions of a request are looked for.
inline constexpr std::size_t most_partitions = 64;

struct PartitionList {
    std::vector<std::shared_ptr<const model::Partition>> found; ///< as named
    std::vector<std::string> unknown;                           ///< names that no partition has
    bool is_cut = false; ///< the request names more than `most_partitions`
};

/// The partitions of the request, or the default one. Empty where the request names none and there is no
/// default. Cost: bounded by the text's length and `most_partitions`.
PartitionList find_partitions(const model::JobRequest& request, const model::Cluster& cluster);

/// An order of partitions.
class PartitionOrder {
  public:
    /// As the job names them.
    explicit PartitionOrder(std::size_t count) noexcept : count_(count) {}
    /// As they are tried: those of a higher tier first.
    static PartitionOrder by_tier(const std::vector<model::PartitionChoice>& partitions);

    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    /// The index of the partition at this place.
    [[nodiscard]] std::size_t operator[](std::size_t place) const noexcept {
        return is_as_named() ? place : indices_[place];
    }
    [[nodiscard]] bool is_as_named() const noexcept { return indices_.empty(); }

  private:
    std::size_t count_;
    std::vector<std::size_t> indices_; ///< empty: as named
};

} // namespace qg::gate
