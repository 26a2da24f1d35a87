// SPDX-License-Identifier: GPL-2.0-or-later
//
// SetLimit: a limit that a QOS or an association has, and what is used of it.
#pragma once

#include "qosgate/model/limit_facts.hpp"
#include "qosgate/model/tres.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
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

} // namespace qg::limits
