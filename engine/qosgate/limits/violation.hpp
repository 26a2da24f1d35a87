// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the limit code found: one Violation per limit that a job breaks.
#pragma once

#include "qosgate/base/units.hpp"
#include "qosgate/model/limits.hpp"
#include "qosgate/model/tres.hpp"
#include "qosgate/model/whole_nodes_by.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace qg::limits {

using model::CountLimit;
using model::LimitId;
using model::LimitSet;
using model::TresLimit;

/// Who sets a limit: a QOS or an association, by index into the AccountView.
enum class OwnerKind : std::uint8_t { qos, association };
struct Owner {
    OwnerKind kind = OwnerKind::qos;
    std::size_t index = 0;
    friend bool operator==(const Owner&, const Owner&) = default;
};

/// How the numbers of a violation are related.
enum class Relation : std::uint8_t {
    asked_too_much,   ///< asked > limit: waiting cannot help
    asked_too_little, ///< asked < limit (a minimum)
    not_enough_left,  ///< used + asked > limit: the job can pass when other jobs end
    used_up,          ///< used >= limit
    used_for_good,    ///< usage never decays, and the rest of the limit is not enough
};

/// One limit that a job breaks. Minutes limits count TRES x minutes, wall limits minutes.
struct Violation {
    LimitId limit;
    Owner owner;
    std::optional<std::size_t> tres; ///< for TRES limits: index into the catalogue
    std::uint64_t asked = 0;
    std::uint64_t limit_value = 0;
    std::uint64_t used = 0;
    Relation relation = Relation::asked_too_much;
    std::string_view reason; ///< Slurm's Reason token; a literal
    /// How many times the UsageFactor of the job's QOS multiplied the time in `asked`, and the value before.
    unsigned times_scaled = 0;
    std::uint64_t asked_unscaled = 0; ///< meaningless if nothing was multiplied
    bool is_endless = false;          ///< TRES minutes of a job without an end: `asked` has no meaning
    bool is_of_time_min = false;      ///< TRES minutes: `asked` counts --time-min, not the time limit
    bool is_of_parts = false;         ///< `asked` is the sum over the parts of a heterogeneous job
    bool may_overlap = false;         ///< nodes; the job may get some that are in use already
    /// TRES: all that the job's whole nodes have, of memory their CPUs; 0: it takes parts.
    std::uint64_t whole_nodes = 0;
    model::WholeNodesBy whole_by = model::WholeNodesBy::nothing;
    std::size_t whole_in_partition = 0; ///< index in the view; of WholeNodesBy::partition
    std::uint64_t mib_per_cpu = 0;      ///< the CPUs were raised to one per so many MiB; 0: not raised
    std::uint64_t cpus_per_gpu = 0;     ///< the CPUs were raised to so many for each GPU; 0: not raised
    std::uint64_t cpus_of_core = 0;     ///< they were raised to those of whole cores; 0: not raised
    std::uint64_t run_minutes = 0;      ///< TRES minutes: the part of `used` that running jobs may still use
    std::uint64_t count = 0;            ///< TRES minutes: how much of the TRES the job has for its time

    /// Whether the job cannot pass even if other jobs end.
    [[nodiscard]] bool is_permanent() const noexcept {
        return relation == Relation::asked_too_much || relation == Relation::asked_too_little ||
               relation == Relation::used_for_good;
    }

    /// Whether the job waits for other jobs if nothing else changes. It is not known yet which nodes it gets,
    /// and nodes that jobs under the same limit already use count only once.
    [[nodiscard]] bool is_certain() const noexcept {
        return !(may_overlap && relation == Relation::not_enough_left);
    }

    /// Whether it is the same limit of the same owner, whatever the numbers.
    [[nodiscard]] bool same_limit(const Violation& other) const {
        return limit == other.limit && owner == other.owner && tres == other.tres;
    }
};

/// Identifies the limit and its owner: equal if same_limit() is true.
struct LimitHash {
    [[nodiscard]] std::size_t operator()(const Violation& violation) const noexcept {
        std::size_t hash = std::hash<LimitId>()(violation.limit);
        for (const std::size_t part : {static_cast<std::size_t>(violation.owner.kind), violation.owner.index,
                                       violation.tres.value_or(SIZE_MAX)})
            hash = hash * 0x9e37'79b9'7f4a'7c15u + part;
        return hash;
    }
};

/// The submit stage's answer.
struct SubmitVerdict {
    std::vector<Violation> violations; ///< in Slurm's order; the first one gives the Reason. Empty: accepted
    std::optional<TimeLimit> time_limit; ///< the job's time limit afterwards; meaningless if refused
    bool time_set_by_limit = false;

    [[nodiscard]] bool accepted() const noexcept { return violations.empty(); }
};

/// What keeps an accepted job pending, stage by stage.
struct ScheduleVerdict {
    std::vector<Violation> pre_select;  ///< running-job counts and wall limits; empty: passes
    std::vector<Violation> post_select; ///< the allocation with present usage; empty: passes, or not reached
    std::optional<std::uint64_t> max_nodes; ///< what the limits allow; empty: no limit, or not reached
    std::optional<Violation> node_limit;    ///< the limit that sets max_nodes, if it may be shown

    /// Whether the stages after pre_select were reached.
    [[nodiscard]] bool passed_pre_select() const noexcept { return pre_select.empty(); }
    /// Whether the limits allow fewer nodes than the job needs.
    [[nodiscard]] bool breaks_node_limit() const noexcept {
        return node_limit && node_limit->asked > *max_nodes;
    }
};

} // namespace qg::limits
