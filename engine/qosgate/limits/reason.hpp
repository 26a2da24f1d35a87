// SPDX-License-Identifier: GPL-2.0-or-later
//
// Slurm's Reason tokens, as squeue shows them, for every limit and kind of TRES (limits/README.md 1.4).
#pragma once

#include "qosgate/limits/violation.hpp"

namespace qg::limits {

/// The token for a TRES limit of a QOS or an association.
std::string_view reason_of(OwnerKind owner, TresLimit limit, model::TresKind kind) noexcept;

/// The token for a count or wall limit of a QOS or an association.
std::string_view reason_of(OwnerKind owner, CountLimit limit) noexcept;

} // namespace qg::limits
