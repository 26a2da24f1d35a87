// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a plan would do to the jobs that are in the queue now.
#pragma once

#include "common/output.hpp"

#include "qosgate/report/consequences.hpp"
#include "qosgate/spec/plan.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <ostream>

namespace qg::cli {

/// What the plan does to the jobs in slurmctld's queue, with messages about the progress. Empty: it is not
/// known, and a warning says why: slurmctld does not answer, or the caller is no operator and may not see all
/// jobs. Cost: nine RPCs.
std::optional<report::Consequences> judge_plan(const spec::Plan& plan, const spec::LiveState& live,
                                               Output& output);

void print(const report::Consequences& found, std::ostream& out);
nlohmann::ordered_json to_json(const report::Consequences& found);

} // namespace qg::cli
