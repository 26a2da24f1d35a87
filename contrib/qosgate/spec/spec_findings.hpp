// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the checks of lint say about spec files.
#pragma once

#include "qosgate/report/lint_checks.hpp"
#include "qosgate/spec/desired.hpp"
#include "qosgate/spec/plan.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace qg::cli {

/// A finding, where the files cause it, and what to write there.
struct SpecFinding {
    report::Finding finding;
    spec::Position position = {}; ///< without a file: no file names it
    std::string place = {};       ///< "qos.yaml:12"
    std::string cure = {};
};

struct SilencedFinding {
    report::Finding finding;
    std::string reason;
};

struct SpecFindings {
    std::vector<SpecFinding> shown;
    std::vector<SilencedFinding> silenced;
    std::size_t others = 0; ///< about what the files neither name nor cause
};

/// What silences a finding in the files; null: nothing does.
const spec::Silenced* find_silenced(const spec::Desired& desired, const report::Finding& finding);

/// Chooses from what is found with the files applied (`after`): what is about the QOSs that they name, and
/// what is not there without them (`before`).
SpecFindings choose_findings(const std::vector<report::Finding>& before,
                             const std::vector<report::Finding>& after, const spec::Desired& desired,
                             const spec::Plan& plan);

/// The cluster as it would be with the plan. `live` is the state that the plan was made from.
report::LintInput with_plan(report::LintInput input, const spec::Plan& plan, const spec::LiveState& live);

/// The files without what only a cluster can resolve: access and shares.
spec::Desired without_cluster(spec::Desired desired);

/// A cluster with nothing but the QOSs that the files name in Preempt and do not define.
spec::LiveState world_named_by(const spec::Desired& desired);

} // namespace qg::cli
