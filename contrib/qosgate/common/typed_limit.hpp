// SPDX-License-Identifier: GPL-2.0-or-later
//
// Limits of one type of a gres, "gres/gpu:a100", that requests without a type are not compared with.
#pragma once

#include "qosgate/model/limit_facts.hpp"
#include "qosgate/model/tres.hpp"

#include <concepts>
#include <string_view>

namespace qg::cli {

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

} // namespace qg::cli
