// SPDX-License-Identifier: GPL-2.0-or-later
//
// LocalHeadroom: whether a job fits the limits of records held in memory, checked without copying any.
#pragma once

#include "qosgate/model/resource_bounds.hpp"
#include "qosgate/quota/local_quota.hpp"

#include <cstdint>
#include <string_view>

namespace qg::quota {

/// One job among records.
///
/// `true` is certain: no check of limits/README.md 4 finds a limit of the record exceeded, and none gives the
/// job another time. `false` is conservative: all limits count as strict, and factors on limits or time
/// (LimitFactor, UsageFactorSafe) count as no room. After `false` all limits must be evaluated.
/// Ownership: borrows the bounds and the account's name.
class LocalHeadroom {
  public:
    LocalHeadroom(const model::ResourceBounds& bounds, std::uint32_t user_id, std::string_view account)
        : bounds_(bounds), user_id_(user_id), account_(account) {}

    [[nodiscard]] bool suffices_for(const LocalQos& qos) const;
    /// Only this association, not those above it.
    [[nodiscard]] bool suffices_for(const LocalAssociation& association) const;

  private:
    const model::ResourceBounds& bounds_;
    std::uint32_t user_id_;
    std::string_view account_;
};

} // namespace qg::quota
