// SPDX-License-Identifier: GPL-2.0-or-later
//
// SetLimit: a limit that a QOS or an association has, and what is used of it.
#pragma once

#include "qosgate/model/limit_facts.hpp"
#include "qosgate/model/tres.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::limits {

/// The part of a limit that is used: from 0 to 1, and above if usage was there before the limit. A limit of
/// zero is full.
[[nodiscard]] inline double share_of(std::uint64_t used, std::uint64_t value) noexcept {
    return value == 0 ? 1 : static_cast<double>(used) / static_cast<double>(value);
}

/// Numbers are in the units of Violation.
struct SetLimit {
    const model::LimitFacts* facts = nullptr; ///< never null
    std::string tres = {};                    ///< empty: the limit has none
    std::uint64_t value = 0;
    /// By all jobs that count together. Empty: each job has the limit by itself, or slurmctld does not count
    /// what it is compared with, or nobody looked.
    std::optional<std::uint64_t> used = {};

    [[nodiscard]] std::uint64_t left() const noexcept { return value - std::min(value, used.value_or(0)); }
    /// Empty like `used`.
    [[nodiscard]] std::optional<double> share() const noexcept {
        return used ? std::optional(share_of(*used, value)) : std::nullopt;
    }

    /// "GrpTRES=cpu=8", "MaxWall=08:00:00": as it is set
    [[nodiscard]] std::string text() const;
    /// "GrpTRES=cpu=-1", "MaxWall=-1": as it is unset
    [[nodiscard]] std::string unset_text() const;
    [[nodiscard]] std::string value_text() const; ///< "at least 4"
    [[nodiscard]] std::string used_text() const;  ///< empty like `used`
    [[nodiscard]] std::string left_text() const;  ///< empty like `used`
};

/// All of them, without usage, in the order of model::limit_facts and of the catalogue.
std::vector<SetLimit> find_set_limits(const model::Limits& limits, const model::TresCatalogue& tres);

/// The untyped TRES of a maximum of a typed one, if that has no maximum of the same kind: slurmctld counts a
/// request without a type ("--gpus=2") for "gres/gpu" alone, so the job starts on nodes of that type although
/// the maximum is reached, and counts as used once it runs. Empty: there is no such gap. `is_limited` says
/// whether an untyped TRES has a maximum of the same kind.
template <std::predicate<std::string_view> IsLimited>
std::string_view passed_by_untyped(const model::LimitFacts& facts, std::string_view tres,
                                   IsLimited is_limited) {
    if (facts.sense != model::LimitSense::maximum) return {};
    const std::string_view untyped = model::untyped_tres(tres);
    return untyped.empty() || is_limited(untyped) ? std::string_view() : untyped;
}

/// Whether limits of this kind of TRES meet every job, and not only those that ask for it, such as GPUs.
/// No job asks for energy.
constexpr bool meets_every_job(model::TresKind kind) noexcept {
    switch (kind) {
    case model::TresKind::cpu:
    case model::TresKind::mem:
    case model::TresKind::node:
    case model::TresKind::billing: return true;
    case model::TresKind::energy:
    case model::TresKind::bb:
    case model::TresKind::gres:
    case model::TresKind::license:
    case model::TresKind::other: break;
    }
    return false;
}

} // namespace qg::limits
