// SPDX-License-Identifier: GPL-2.0-or-later
//
// One call of a script for job_submit/lua inside slurmctld: of the one in force, which writes to Slurm's own
// description of a job, or of a candidate's, which writes to a copy; and what follows from it: answer, log
// and record.
//
//   ScriptCall call = call_script(policy, world, {description, host_texts, submit_uid});
//   if (call.answer.code != SLURM_SUCCESS) return call.answer.code;
#pragma once

#include "controller/controller_script_host.hpp"
#include "controller/job_copy.hpp"
#include "qosgate/model/decision.hpp"
#include "qosgate/model/job_update.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/script/script_answer.hpp"
#include "report/recorder.hpp"

#include <slurm/slurm.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace qg::plugin {

using script::answer_of_script;
using script::ScriptAnswer;

/// What a script works on. Ownership: borrows.
struct ScriptedRequest {
    job_desc_msg_t& description; ///< of a new job, or what a change sets
    slurm::TextOwner& texts;     ///< of the description
    std::uint32_t submit_uid;
};

/// What a script did.
struct ScriptCall {
    policy::compat::ScriptOutcome outcome;
    ScriptAnswer answer;
    std::vector<policy::FieldWriter> writes; ///< into a new job: script::written_fields()

    /// The lines that it said to the user.
    [[nodiscard]] std::vector<std::string> said() const;
};

/// Calls slurm_job_submit of the policy's script, which must have one. Cost: SiteScript::submit().
ScriptCall call_script(const policy::Policy& policy, const ScriptWorld& world, const ScriptedRequest& job);

/// Calls slurm_job_modify. `read_job` returns the job before the change, or why it cannot be read. Cost:
/// SiteScript::modify(), and that of `read_job` if the script reads the job or writes.
ScriptCall call_script_at_change(const policy::Policy& policy, const ScriptWorld& world,
                                 const ScriptedRequest& change, const script::ReadRecord& read_job);

/// What follows from a failure: the script did not run.
ScriptCall fail_script(const policy::Policy& policy, std::string why);

/// The log, events and names of what a script did about a new job.
model::Decision decision_of_script(const ScriptCall& call, const model::JobRequest& request,
                                   const ScriptWorld& world);
/// The same about a change.
model::Decision decision_of_script(const ScriptCall& call, const model::JobUpdate& change,
                                   const ScriptWorld& world);

/// The decision of a script that refuses, with all that it said. Takes what decision_of_script() returned.
model::Decision refused_by(const ScriptCall& call, model::Decision of_script);

/// The time of the script.
struct ScriptTime {
    std::chrono::steady_clock::duration took{};
    policy::BudgetClock clock; ///< of the job
};

/// What the script did about a request that goes on to the rules.
struct ScriptEffect {
    ScriptEffect() = default;
    ~ScriptEffect(); // in the .cpp: few requests have one, and all would read its code

    model::Decision decision;                ///< its log, events and names
    std::vector<std::string> said;           ///< what the user has read already
    std::vector<policy::FieldWriter> writes; ///< into a new job
    ScriptTime time;
    std::optional<Recording> recording;     ///< of a change
    JobCopy job;                            ///< before a change; null: nobody read it, or it cannot be read
    std::optional<model::JobUpdate> change; ///< borrows `job`; empty: it is none, or it cannot be read
};

/// The decision about a change that the script ended, or looked at. `job_id` is empty if it is not known.
model::Decision describe_change(std::span<const policy::RuleEvent> events,
                                std::optional<std::uint32_t> job_id, std::uint32_t submit_uid);

/// Puts what the script did before what came after it, and what it said to the user before the message.
/// `decision` keeps its answer.
void prepend_script(model::Decision& decision, model::Decision of_script, std::span<const std::string> said);

} // namespace qg::plugin
