// SPDX-License-Identifier: GPL-2.0-or-later
//
// CandidateTrial: one job, or one change of a job, with a candidate policy: first its script for
// job_submit/lua, then its rules and the limits, as the policy in force does it. The candidate gets the job
// as it was sent, and nothing of what it does reaches the job, the user or the log.
//
//   auto trial = CandidateTrial::begin(runs, candidate, in_force, description); // before its script runs
//   Decision decision = …;                                                      // of the policy in force
//   trial->compare_job(tools, request, decision);
//   record(…, trial->comparison());
#pragma once

#include "controller/candidate_runs.hpp"
#include "controller/controller_script_host.hpp"
#include "qosgate/gate/gate.hpp"
#include "qosgate/gate/predict/het_parts.hpp"
#include "qosgate/model/job_update.hpp"
#include "qosgate/slurm/job_desc_copy.hpp"

#include <slurm/slurm.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace qg::plugin {

/// What decides. Ownership: borrows.
struct TrialTools {
    const gate::Gate& gate;
    const ScriptWorld& world;
    gate::KnownCluster known;
};

/// A change of a job, as the policy in force left it. Ownership: borrows.
struct TriedChange {
    job_desc_msg_t& job;            ///< before the change
    const job_desc_msg_t& update;   ///< what the change sets
    const model::JobRequest& after; ///< the job after it
    std::uint32_t submit_uid;
    bool is_judged; ///< false: slurmctld refuses it, so rules and limits are not asked
};

/// Threads: not thread-safe; it belongs to one request.
class CandidateTrial {
  public:
    /// Copies the description if a script writes to it: of the policy in force or the candidate. The time
    /// for that is the candidate's; without any left, or if the copy takes more than 4 MiB, the trial is
    /// skipped. Null: there is no memory; the decision is counted as skipped.
    static std::unique_ptr<CandidateTrial> begin(CandidateRuns& runs,
                                                 std::shared_ptr<const policy::Policy> candidate,
                                                 const policy::Policy& in_force,
                                                 const job_desc_msg_t& sent) noexcept;

    ~CandidateTrial(); // in the other file, as that of ScriptEffect
    CandidateTrial(const CandidateTrial&) = delete;
    CandidateTrial& operator=(const CandidateTrial&) = delete;

    [[nodiscard]] const policy::Policy& candidate() const noexcept { return *candidate_; }

    /// The parts of a heterogeneous job before this one, as the policy in force let them through.
    void keep_parts(const gate::HetParts& parts) noexcept;

    /// Compares what was decided about a new job, which is `request` behind the script in force.
    void compare_job(const TrialTools& tools, const model::JobRequest& request,
                     const model::Decision& decided) noexcept;

    /// Whether the candidate has something to do with the change that was sent.
    [[nodiscard]] bool looks_at_change() const;
    /// Compares what was decided about a change.
    void compare_change(const TrialTools& tools, const TriedChange& change,
                        const model::Decision& decided) noexcept;

    /// Counts the decision as skipped.
    void skip() noexcept { runs_.skip(*candidate_); }

    /// Whether there is time for it.
    [[nodiscard]] bool has_time() const { return !is_left_out_ && runs_.has_time(); }
    /// Something that the trial needs took this long.
    void spend(TimeAllowance::Clock::duration time) { runs_.spend(time); }

    /// Null: nothing was compared. Ownership: it lives as long as the trial.
    [[nodiscard]] const gate::Comparison* comparison() const noexcept {
        return comparison_ ? &*comparison_ : nullptr;
    }

  private:
    CandidateTrial(CandidateRuns& runs, std::shared_ptr<const policy::Policy> candidate) noexcept
        : runs_(runs), candidate_(std::move(candidate)) {}

    void copy(const job_desc_msg_t& sent);
    [[nodiscard]] model::Decision decide_job(const TrialTools& tools, const model::JobRequest& request);
    [[nodiscard]] model::Decision decide_change(const TrialTools& tools, const TriedChange& change);

    CandidateRuns& runs_;
    const std::shared_ptr<const policy::Policy> candidate_;
    model::UpdateParts sent_parts_ = model::UpdateParts::all(); ///< of a change
    std::optional<slurm::JobDescCopy> sent_; ///< empty: no script writes to the description
    bool is_left_out_ = false;               ///< no time or memory for a copy, or it is large
    /// Empty: the job is no part of a heterogeneous job, or the parts before it are not known.
    std::optional<gate::HetParts> parts_;
    std::optional<gate::Comparison> comparison_;
};

} // namespace qg::plugin
