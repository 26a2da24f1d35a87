// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the limit code found: one Violation per limit that a job breaks.
#pragma once

#include "qosgate/base/units.hpp"
#include "qosgate/model/limits.hpp"
#include "qosgate/model/tres.hpp"

#include <cstdint>
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

/// How the numbers of a violation relate.
enum class Relation : std::uint8_t {
    asked_too_much,   ///< asked > limit: waiting cannot help
    asked_too_little, ///< asked < limit (a minimum)
    not_enough_left,  ///< used + asked > limit: passes when others end
    used_up,          ///< used >= limit
    used_for_good,    ///< what is used never comes back, and what is left is not enough
};

/// One limit that a job breaks. Minutes limits count TRES x minutes, walls minutes.
struct Violation {
    LimitId limit;
    Owner owner;
    std::optional<std::size_t> tres; ///< for TRES limits: index into the catalogue
    std::uint64_t asked = 0;
    std::uint64_t limit_value = 0;
    std::uint64_t used = 0;
    Relation relation = Relation::asked_too_much;
    std::string_view reason; ///< Slurm's Reason token; a literal
    /// How often UsageFactor of the job's QOS multiplied the time in `asked`, and what was asked before.
    unsigned times_scaled = 0;
    std::uint64_t asked_unscaled = 0; ///< meaningless where nothing was multiplied
    bool is_endless = false;          ///< TRES minutes of a job without an end: `asked` means nothing
    bool is_of_parts = false;         ///< `asked` is that of the parts of a heterogeneous job together
    bool may_overlap = false;         ///< nodes, of which the job may get some that are in use already
    std::uint64_t whole_nodes =
        0;                   ///< TRES: so much is all of the nodes that the job takes; 0: it takes parts
    std::uint64_t count = 0; ///< TRES minutes: how much of the TRES the job has for its time

    /// Whether no end of other jobs lets this job pass.
    [[nodiscard]] bool is_permanent() const noexcept {
        return relation == Relation::asked_too_much || relation == Relation::asked_too_little ||
               relation == Relation::used_for_good;
    }

    /// Whether the job waits for others if nothing else changes. Which nodes it gets is not known yet; those
    /// in use by jobs that count against the same limit count once.
    [[nodiscard]] bool is_certain() const noexcept {
        return !(may_overlap && relation == Relation::not_enough_left);
    }

    /// Whether it is the same limit of the same owner, whatever the numbers.
    [[nodiscard]] bool same_limit(const Violation& other) const {
        return limit == other.limit && owner == other.owner && tres == other.tres;
    }
};

/// The submit stage's answer.
struct SubmitVerdict {
    std::vector<Violation> violations; ///< in Slurm's order; the first one gives the Reason. Empty: accepted
    std::optional<TimeLimit> time_limit; ///< the job's limit afterwards; meaningless when refused
    bool time_set_by_limit = false;

    [[nodiscard]] bool accepted() const noexcept { return violations.empty(); }
};

/// What holds a job back after it was accepted, stage by stage.
struct ScheduleVerdict {
    std::vector<Violation> pre_select;  ///< running-job counts and walls; empty: passes
    std::vector<Violation> post_select; ///< the allocation with present usage; empty: passes, or not reached
    std::optional<std::uint64_t>
        max_nodes;                       ///< most nodes the limits allow; nothing: no limit, or not reached
    std::optional<Violation> node_limit; ///< the limit that sets max_nodes, if it is told

    /// Whether the stages after pre_select were reached.
    [[nodiscard]] bool passed_pre_select() const noexcept { return pre_select.empty(); }
    /// Whether the limits allow fewer nodes than the job needs.
    [[nodiscard]] bool breaks_node_limit() const noexcept {
        return node_limit && node_limit->asked > *max_nodes;
    }
};

} // namespace qg::limits
