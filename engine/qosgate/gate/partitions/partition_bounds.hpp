// SPDX-License-Identifier: GPL-2.0-or-later
//
// The bounds of partitions on a job's size and time, one row per bound (limits/README.md 8.3). All code that
// compares a job with a bound loops over these rows.
#pragma once

#include "qosgate/base/units.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/decision.hpp"
#include "qosgate/model/partition.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::gate {

/// A rule of a partition that a job breaks.
struct PartitionProblem {
    model::RejectCode code;   ///< of the refusal, if slurmctld enforces rules of partitions
    std::string_view pending; ///< Reason of the job if it is accepted nevertheless ("PartitionTimeLimit")
    std::string text;         ///< for the user
};

/// The amounts of a job that are compared with bounds, one for each bound. Empty: not compared.
struct BoundedAmounts {
    std::optional<std::uint64_t> cpus = {};
    std::optional<std::uint64_t> nodes = {}; ///< compared with the partition's total
    std::optional<std::uint64_t> min_nodes = {};
    std::optional<std::uint64_t> max_nodes = {};
    std::optional<std::uint64_t> minutes = {};
    bool is_time_min = false; ///< `minutes` is --time-min
};

/// Whether a bound is a maximum or a minimum.
enum class BoundSense : std::uint8_t { maximum, minimum };

/// A bound of partitions.
struct PartitionBound {
    std::optional<std::uint64_t> BoundedAmounts::*amount;              ///< the amount that it bounds
    std::optional<std::uint64_t> (*value_of)(const model::Partition&); ///< empty: unlimited
    BoundSense sense;
    bool model::QosFlags::*exempts; ///< the QOS flag that exempts jobs from it; null: none
    model::RejectCode code;         ///< see PartitionProblem
    std::string_view pending;
    std::string (*describe)(const model::Partition&, std::uint64_t bound, const BoundedAmounts& job);

    /// Whether `asked` keeps a bound of this value.
    [[nodiscard]] constexpr bool is_kept(std::uint64_t asked, std::uint64_t value) const noexcept {
        return sense == BoundSense::maximum ? asked <= value : asked >= value;
    }
    /// The bound of a partition for jobs whose QOS has these flags; empty: none.
    [[nodiscard]] std::optional<std::uint64_t> value_for(const model::Partition& partition,
                                                         model::QosFlags flags) const {
        return exempts != nullptr && flags.*exempts ? std::nullopt : value_of(partition);
    }
};

namespace bounds {
extern const PartitionBound total_cpus;
extern const PartitionBound total_nodes;
extern const PartitionBound min_nodes;
extern const PartitionBound max_nodes;
extern const PartitionBound max_time;
} // namespace bounds

/// The amount of a job that is compared with one bound. Empty: not compared.
struct BoundedAmount {
    const PartitionBound& bound;
    std::optional<std::uint64_t> amount;

    /// The amount with all others empty.
    [[nodiscard]] BoundedAmounts alone() const {
        BoundedAmounts amounts;
        amounts.*bound.amount = amount;
        return amounts;
    }
};

/// All bounds, in the order in which slurmctld compares them.
inline constexpr std::array partition_bounds{&bounds::total_cpus, &bounds::total_nodes, &bounds::min_nodes,
                                             &bounds::max_nodes, &bounds::max_time};

/// The problem of a job that breaks the bound of the partition, given the flags of its QOS; empty if it keeps
/// the bound.
std::optional<PartitionProblem> find_bound_problem(const PartitionBound& bound,
                                                   const model::Partition& partition,
                                                   const BoundedAmounts& job, model::QosFlags flags);

/// The same for all bounds, in order.
std::vector<PartitionProblem> find_bound_problems(const model::Partition& partition,
                                                  const BoundedAmounts& job, model::QosFlags flags);

/// `max`, capped by the partition's total of nodes and by its MaxNodes for a QOS with these flags.
std::uint64_t cap_nodes(std::uint64_t max, const model::Partition& partition, model::QosFlags flags);

/// The number of nodes to which a partition raises smaller jobs whose QOS has these flags.
std::uint64_t raised_min_nodes(const model::Partition& partition, model::QosFlags flags,
                               limits::Release release);

/// The first of the job's partitions with the least strict bound. The view must have partitions.
const model::Partition& widest_partition(const model::AccountView& view, const PartitionBound& bound);

/// Replaces the amount (or each of them) by the other if that one is harder to keep within its bound.
void take_hardest(BoundedAmounts& amounts, const BoundedAmount& other);
void take_hardest(BoundedAmounts& amounts, const BoundedAmounts& others);

/// Whether the amounts keep all bounds of a partition, without any exemption by QOS flags.
bool keeps_all_bounds(const model::Partition& partition, const BoundedAmounts& amounts);

} // namespace qg::gate
