// SPDX-License-Identifier: GPL-2.0-or-later
//
// Undoes what an apply did, as a plan.
#pragma once

#include "qosgate/spec/history.hpp"

namespace qg::spec {

/// The plan that brings back what was before: created QOSs are removed, removed ones are created again,
/// fields that were changed get their old values and owners, and associations store again what they stored.
/// What is as before already is left alone, and so are other fields of a changed QOS. Of an association whose
/// QOSs were changed since, only what was granted and revoked is undone, with a warning. What was taken away
/// and somebody stored before is `named` in the plan. Problems: something that the apply made or changed was
/// changed since, a default QOS would be unusable.
Planned revert(const HistoryRecord& record, const LiveState& live);

} // namespace qg::spec
