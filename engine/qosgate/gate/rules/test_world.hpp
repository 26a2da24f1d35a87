// SPDX-License-Identifier: GPL-2.0-or-later
//
// ScenarioWorld: makes of the jobs of a policy's tests what rules read, in clusters in the form of scenarios
// (contrib/doc/eval.md).
#pragma once

#include "qosgate/gate/rules/read_job.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/policy/policy_tests.hpp"
#include "qosgate/policy/test/test_job.hpp"
#include "qosgate/quota/scenario.hpp"
#include "qosgate/quota/user_groups.hpp"

#include <memory>
#include <string>
#include <utility>

namespace qg::gate {

// ---- the job of a test ---------------------------------------------------------------------------------
// The job of a test as rules read it: resolved and counted as jobs are, with what its test says instead.

/// The cluster that a test gives. Threads: immutable.
struct GivenCluster {
    /// `cure_of_groups`: see quota::RecordedGroups.
    GivenCluster(quota::World world, const DecisionTimes& decision_times, std::string cure_of_groups)
        : cluster(quota::make_cluster(world)), groups(world.records.users, std::move(cure_of_groups)),
          quota(std::move(world.records)), times(decision_times) {}

    const model::Cluster cluster;
    const quota::RecordedGroups groups;
    const quota::LocalQuota quota;
    const DecisionTimes times;
};

/// The user of a test that names none.
inline constexpr const char* usual_user_name = "user";

/// How a test reads its job.
struct TestReading {
    limits::Release release;
    bool is_change = false;
    bool changes_partitions = false; ///< at a change: the job gets other ones
    bool has_account = false;        ///< whether a job without an account gets one by default
};

/// A count or default that the test says holds until a rule changes what it is counted from.
/// Threads: not thread-safe.
class JobInTest final : public policy::TestedJob, public policy::JobRecounter {
  public:
    /// `request` is that of `job`, as it is sent. Ownership: borrows the job.
    JobInTest(const policy::TestJob& job, model::JobRequest request,
              std::shared_ptr<const GivenCluster> given, const TestReading& how);

    [[nodiscard]] const model::JobRequest& request() const noexcept override { return read_.request(); }
    [[nodiscard]] const policy::RuleInput& facts() const noexcept override { return facts_; }

    Result<std::shared_ptr<const policy::RuleInput>> recount(const model::JobRequest& changed) override;

  private:
    class Recounted;

    [[nodiscard]] model::ResolvedJob as_said(const policy::RuleInput& counted) const;
    [[nodiscard]] policy::RuleInput with_defaults(const policy::RuleInput& counted,
                                                  const model::ResolvedJob& said) const;

    const policy::TestJob& written_;
    const model::JobRequest request_;
    const std::shared_ptr<const GivenCluster> given_;
    const bool has_account_;
    ResolvedRequest resolved_;
    ReadJob read_;
    model::ResolvedJob said_;
    policy::RuleInput facts_;
};

/// The request of a job that slurmctld has: what a job got that did not ask for it counts as asked for.
/// `submitted` is that job when it was new, as the test has it before the change; `request` is it now, or
/// as the change makes it.
model::JobRequest as_record(model::JobRequest request, const JobInTest& submitted);

/// Threads: not thread-safe.
class ScenarioWorld final : public policy::TestWorld {
  public:
    /// `release`: whose counts, and whose limit checks answer `qos:fits(job)`.
    explicit ScenarioWorld(limits::Release release) noexcept : release_(release) {}

    Result<std::unique_ptr<policy::TestedJob>> read(const policy::PolicyTest& test,
                                                    const policy::TestJob& job) override;

  private:
    Result<std::shared_ptr<const GivenCluster>> read_capture(const policy::SourceFile& file);

    const limits::Release release_;
    // The last capture: tests that follow each other often name the same one.
    const policy::SourceFile* last_file_ = nullptr;
    std::shared_ptr<const GivenCluster> last_;
};

} // namespace qg::gate
