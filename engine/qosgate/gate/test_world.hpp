// SPDX-License-Identifier: GPL-2.0-or-later
//
// ScenarioWorld: what rules read as `view` in a test of a policy, from tables in the form of scenarios
// (contrib/qosgate/eval.md).
#pragma once

#include "qosgate/gate/decision_view.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/policy/policy_tests.hpp"
#include "qosgate/quota/local_quota.hpp"
#include "qosgate/quota/user_groups.hpp"

#include <memory>
#include <optional>

namespace qg::gate {

/// Threads: not thread-safe.
class ScenarioWorld final : public policy::TestWorld {
  public:
    /// `release`: whose limit checks answer `qos:fits(job)`.
    explicit ScenarioWorld(limits::Release release) noexcept : release_(release) {}

    Result<policy::RuleView*> make_view(const policy::PolicyTest& test,
                                        const policy::TestedJob& job) override;

  private:
    const limits::Release release_;
    // Each borrows those before it.
    model::Cluster cluster_;
    std::unique_ptr<quota::LocalQuota> quota_;
    std::unique_ptr<quota::RecordedGroups> groups_;
    std::optional<ResolvedRequest> job_;
    std::optional<DecisionView> view_;
};

} // namespace qg::gate
