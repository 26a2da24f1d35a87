// SPDX-License-Identifier: GPL-2.0-or-later
//
// What follows from a call of the site's script for job_submit/lua: answer, log and record.
#pragma once

#include "controller/job_copy.hpp"
#include "qosgate/model/decision.hpp"
#include "qosgate/model/job_update.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/script/script_answer.hpp"
#include "report/recorder.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace qg::plugin {

using script::answer_of_script;
using script::ScriptAnswer;

/// The time of the script.
struct ScriptTime {
    std::chrono::steady_clock::duration took{};
    policy::BudgetClock clock; ///< of the job
};

/// What the script did about a request that goes on to the rules.
struct ScriptEffect {
    ScriptEffect() = default;
    ~ScriptEffect(); // in the other file: few requests have one, and all would read its code

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
