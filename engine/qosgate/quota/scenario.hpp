// SPDX-License-Identifier: GPL-2.0-or-later
//
// Scenario: limits, usage and one job in a JSON object (the schema is described in contrib/qosgate/eval.md).
#pragma once

#include "qosgate/quota/local_quota.hpp"

#include <string>
#include <string_view>

namespace qg::quota {

struct Scenario {
    std::string id;
    model::AccountView view;
    model::ResolvedJob job;
};

/// Reads one scenario. Errors: invalid_input, naming the key by its path ("job.tres.gpus") and what is
/// allowed there; unknown keys are errors too.
Result<Scenario> parse_scenario(std::string_view json);

} // namespace qg::quota
