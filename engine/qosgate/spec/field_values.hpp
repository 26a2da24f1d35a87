// SPDX-License-Identifier: GPL-2.0-or-later
//
// resolve_field: the value that a field of a record gets, with shares turned into counts.
#pragma once

#include "qosgate/spec/plan.hpp"

#include <string>
#include <vector>

namespace qg::spec {

/// A value, the shares in it, and what is wrong; with a problem the value is not usable.
struct ResolvedField {
    model::FieldValue value = {};
    std::vector<ResolvedShare> shares = {};
    std::vector<Problem> problems = {}; ///< "GrpTRES: …"
};

/// The value of `field` in a QOS that has `held` now. A share is rounded down, but a share of more than 0 %
/// is at least 1, since a limit of 0 would refuse all jobs.
ResolvedField resolve_field(const model::QosField& field, const DesiredField& desired,
                            const model::QosRecord& held,
                            const std::map<std::string, model::TresLimits>& capacity);

} // namespace qg::spec
