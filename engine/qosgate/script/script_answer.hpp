// SPDX-License-Identifier: GPL-2.0-or-later
//
// What follows from a call of the site's script for job_submit/lua.
#pragma once

#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/policy/policy.hpp"

#include <string>
#include <vector>

#include <slurm/slurm_errno.h>

namespace qg::script {

/// What follows from a call of the script.
struct ScriptAnswer {
    int code = SLURM_SUCCESS;
    std::vector<std::string> message;      ///< lines for the user, besides the script's own
    std::vector<policy::RuleEvent> events; ///< for log and record, as of a rule of the script's name
};

/// A script that fails refuses the job, unless the site's settings say otherwise. `changes` is what the
/// script wrote ("qos: normal -> debug").
ScriptAnswer answer_of_script(const policy::compat::SiteScript& script,
                              const policy::compat::ScriptOutcome& outcome,
                              const std::vector<std::string>& changes);

/// The fields with a noun (policy/objects/fields.hpp) that the script wrote, as of a rule of the script's
/// name.
std::vector<policy::FieldWriter> written_fields(const model::JobRequest& before,
                                                const model::JobRequest& after);

} // namespace qg::script
