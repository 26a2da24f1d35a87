// SPDX-License-Identifier: GPL-2.0-or-later
//
// JudgedRequest: what a new job (Submission) and a change of one (Change) have in common on their way through
// the plugin. First the site's script for job_submit/lua, then its rules and the limits, then a candidate,
// which changes nothing.
//
//   Submission submission(controller, description, submit_uid, err_msg);
//   return submission.decide();   // a code of Slurm; what rules changed is written, the answer is given
//
// slurmctld makes a thread for each request and gives back what it used of its stack beyond the first 16 KiB,
// so that a deeper call costs a page fault. Therefore rare ways are functions of their own that are not
// inlined, and what only they need is not on the stack.
#pragma once

#include "controller/candidate_trial.hpp"
#include "controller/controller.hpp"
#include "controller/script_call.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace qg::plugin {

/// Gives slurmctld the answer: the log, the message, and the code of Slurm that it returns.
int answer(const model::Decision& decision, char** err_msg);

/// Ownership: borrows the description and `err_msg`. Threads: it belongs to one request.
class JudgedRequest {
  public:
    JudgedRequest(const JudgedRequest&) = delete;
    JudgedRequest& operator=(const JudgedRequest&) = delete;

  protected:
    /// Takes the policy that is in force, and begins the trial of a candidate.
    JudgedRequest(Controller& controller, job_desc_msg_t& description, std::uint32_t submit_uid,
                  char** err_msg, bool is_change)
        : controller_(controller), description_(description), err_msg_(err_msg), submit_uid_(submit_uid),
          is_change_(is_change), policy_(controller.policies.current()) {
        if (auto candidate = controller.policies.candidate()) [[unlikely]]
            begin_trial(std::move(candidate));
    }
    ~JudgedRequest() = default;

    /// Puts what the script did in front of the decision. There must be a script's effect.
    void prepend_script_to(model::Decision& decision);
    /// Counts the decision, and records it if there is a job. Call prepend_script_to() before; this takes
    /// what the script said, and the user has read, out of the message again.
    void record(const Recording& recording, model::Decision& decision, const gate::RecordedJob* job);
    /// The same, and answers.
    int conclude(const Recording& recording, model::Decision& decision, const gate::RecordedJob* job);
    /// The same for the refusal of the script, which has a code of its own.
    int end_with_script(const Recording& recording, const gate::RecordedJob* job, const ScriptCall& call,
                        model::Decision& decision);
    /// Passes on what the script says to the user and into the log.
    void pass_on_lines(const policy::compat::ScriptOutcome& outcome) const;

    [[nodiscard]] const policy::Policy* candidate() const { return trial_ ? &trial_->candidate() : nullptr; }
    /// Null: nothing was compared. It lives as long as the trial.
    [[nodiscard]] const gate::Comparison* comparison() const {
        return trial_ ? trial_->comparison() : nullptr;
    }

    Controller& controller_;
    job_desc_msg_t& description_; ///< of a change: what it sets
    char** const err_msg_;        ///< null before 23.02 at a change: the user sees no message
    const std::uint32_t submit_uid_;
    const bool is_change_;
    const std::shared_ptr<const policy::Policy> policy_;
    std::unique_ptr<CandidateTrial> trial_;   ///< null: there is no candidate
    std::unique_ptr<ScriptEffect> of_script_; ///< null: no script, or it did nothing to a new job

  private:
    void begin_trial(std::shared_ptr<const policy::Policy> candidate);
    /// Takes so many lines out of the message when it is recorded.
    void record_without(std::size_t lines, const Recording& recording, model::Decision& decision,
                        const gate::RecordedJob* job);
};

} // namespace qg::plugin
