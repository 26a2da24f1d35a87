// SPDX-License-Identifier: GPL-2.0-or-later
//
// ReadJob: a resolved job as rules see it. They read QOS and account as spelled in accounting (unknown names
// in lower case), partitions and reservations without empty and repeated parts, and the rest as_started().
#pragma once

#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/rules/decision_view.hpp"
#include "qosgate/policy/policy.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace qg::gate {

/// Ownership: borrows the resolved request. Threads: not thread-safe; it belongs to one decision.
class ReadJob final : public policy::JobRecounter, public policy::SenderRights {
  public:
    /// A job that is changed is not counted again. `own_qos`: see DecisionView. `count_also`: the same job
    /// with other sizes, of which the larger count; null: none.
    ReadJob(const ResolvedRequest& resolved, policy::JobEvent event,
            std::optional<model::Qos>* own_qos = nullptr, const model::JobRequest* count_also = nullptr);
    ReadJob(const ReadJob&) = delete;
    ReadJob& operator=(const ReadJob&) = delete;

    [[nodiscard]] const model::JobRequest& request() const noexcept {
        return read_ ? *read_ : resolved_.request;
    }
    [[nodiscard]] const policy::RuleInput& facts() const noexcept { return facts_; }

    /// The job may never be: see RuleInput::is_trial.
    void mark_as_trial() noexcept { facts_.is_trial = true; }
    void measure(std::vector<policy::RuleCost>* costs) noexcept { facts_.costs = costs; }

    /// Whether a rule has asked for the job's QOS.
    [[nodiscard]] bool was_asked_for_own_qos() const noexcept { return view_.was_asked_for_own_qos(); }

    /// Puts back what is read otherwise than the user wrote it, if rules left it alone. Only 0 nodes that
    /// slurmctld accepts stay 1 as read, also where rules change nothing: with 0, slurmctld counts no GPU per
    /// socket and gives as many as the node has (limits/README.md 6.3).
    void restore(std::optional<model::JobRequest>& changed) const;

    Result<std::shared_ptr<const policy::RuleInput>> recount(const model::JobRequest& changed) override;

  private:
    bool ask_if_operator() override;
    [[nodiscard]] bool is_refused_for_no_nodes(const model::JobRequest& changed) const;

    const ResolvedRequest& resolved_;
    std::unique_ptr<const model::JobRequest> read_; ///< null: as the user wrote it
    std::optional<model::ResolvedJob> job_for_rules_;
    policy::RuleInput facts_;
    DecisionView view_;
};

} // namespace qg::gate
