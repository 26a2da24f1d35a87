// SPDX-License-Identifier: GPL-2.0-or-later
//
// PlainWorld: for tests of policies that need no counting: a job has the counts and defaults that its test
// says.
#pragma once

#include "qosgate/policy/objects/rule_view.hpp"
#include "qosgate/policy/policy_tests.hpp"
#include "qosgate/policy/test/test_job.hpp"

#include <memory>

namespace qg::test {

class PlainWorld final : public policy::TestWorld {
  public:
    /// `view`: what rules see; null: nothing.
    explicit PlainWorld(policy::RuleView* view = nullptr) : view_(view) {}

    Result<std::unique_ptr<policy::TestedJob>> read(const policy::PolicyTest& /*test*/,
                                                    const policy::TestJob& job) override {
        std::unique_ptr<policy::TestedJob> tested = std::make_unique<Job>(job, view_);
        return tested;
    }

  private:
    class Job final : public policy::TestedJob {
      public:
        Job(const policy::TestJob& job, policy::RuleView* view)
            : request_(job.request()), facts_{.counted = counted_,
                                              .catalogue = catalogue_,
                                              .user_name = "user",
                                              .account = job.defaults().account,
                                              .partition = job.defaults().partition,
                                              .qos = job.defaults().qos,
                                              .view = view} {
            counted_.tres.assign(catalogue_.size(), 0);
            counted_.tres[*catalogue_.node()] = 1;
            for (const auto& [name, count] : job.counts())
                counted_.tres.at(catalogue_.find(name).value()) = count;
        }

        [[nodiscard]] const model::JobRequest& request() const noexcept override { return request_; }
        [[nodiscard]] const policy::RuleInput& facts() const noexcept override { return facts_; }

      private:
        const model::JobRequest& request_;
        const model::TresCatalogue catalogue_{{"cpu", "mem", "energy", "node", "billing", "gres/gpu"}};
        model::ResolvedJob counted_;
        policy::RuleInput facts_;
    };

    policy::RuleView* view_;
};

} // namespace qg::test
