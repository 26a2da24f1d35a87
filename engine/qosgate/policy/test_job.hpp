// SPDX-License-Identifier: GPL-2.0-or-later
//
// TestJob: the job of a test, as rules see it.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/policy_tests.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace qg::policy {

/// Which job of a test.
enum class TestedAs : std::uint8_t {
    job,    ///< the job, or the job as a change would make it
    before, ///< the job before the change
};

/// A request and what rules read beyond it, made from the tables `job` and `given` of a test. Fields that the
/// test does not set are unset, and counts are the least: one node, one CPU. Counts that it sets count as
/// asked for: `nodes = 2` stands for --nodes=2, `gpus = 2` for --gpus=2, `memory` for --mem.
class TestJob {
  public:
    /// Errors: invalid_input for a name that does not exist or a value that a field does not take.
    /// At a change, the job has what `before` gives and `job` does not.
    static Result<TestJob> from(const PolicyTest& test, TestedAs which);

    [[nodiscard]] const model::JobRequest& request() const noexcept { return request_; }
    /// Ownership: borrows from this object.
    [[nodiscard]] RuleInput facts() const;

  private:
    Result<void> set_job(const std::string& name, const Value& value);
    Result<void> set_given(const std::string& name, const Value& value);
    Result<void> set_tres(const std::string& name, const Value& value);
    void request_counts();
    void count();

    model::JobRequest request_;
    model::ResolvedJob counted_;
    model::TresCatalogue catalogue_{{}};
    std::map<std::string, std::uint64_t> tres_; ///< as the test gives them
    std::string user_ = "user";
    // The defaults of a job that has none of its own.
    std::string qos_;
    std::string account_;
    std::string partition_;
};

} // namespace qg::policy
