// SPDX-License-Identifier: GPL-2.0-or-later
//
// TestJob: the job of a test as the test writes it. What rules read of it, such as counts and defaults, is
// made by a TestWorld.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/update_parts.hpp"
#include "qosgate/policy/policy_tests.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace qg::policy {

/// Which job of a test.
enum class TestedAs : std::uint8_t {
    job,    ///< the job, or the job as a change would make it
    before, ///< the job before the change
};

/// What a test says that a job gets which does not say it; empty: nothing.
struct TestDefaults {
    std::string qos;
    std::string partition;
    std::string account;
    std::optional<TimeLimit> time_limit;
};

/// A request, made from the tables `job` and `given` of a test. Counts that it sets count as asked for:
/// `nodes = 2` stands for --nodes=2, `gpus = 2` for --gpus=2, `memory` for --mem.
class TestJob {
  public:
    /// Errors: invalid_input for a name that does not exist or a value that a field does not take.
    /// At a change, the job has what `before` gives and `job` does not.
    static Result<TestJob> from(const PolicyTest& test, TestedAs which);

    /// The user is 1000 unless the test says it.
    [[nodiscard]] const model::JobRequest& request() const noexcept { return request_; }
    [[nodiscard]] bool names_uid() const noexcept { return names_uid_; }
    /// Whether the test says who sends the request; else it is the user.
    [[nodiscard]] bool names_sender() const noexcept { return names_sender_; }
    /// Empty: the test does not say it.
    [[nodiscard]] const std::string& user() const noexcept { return user_; }

    /// What the test says of counts, by the name of the TRES.
    [[nodiscard]] const std::map<std::string, std::uint64_t>& counts() const noexcept { return counts_; }
    [[nodiscard]] std::optional<std::uint32_t> array_tasks() const noexcept { return array_tasks_; }
    [[nodiscard]] const TestDefaults& defaults() const noexcept { return defaults_; }

  private:
    class Command;

    Result<void> set_job(const std::string& name, const Value& value);
    Result<void> set_given(const std::string& name, const Value& value);
    Result<void> set_count(const std::string& name, const Value& value);
    Result<void> set_command(const TestEntry& entry, bool is_variable);
    void request_counts();

    model::JobRequest request_;
    std::shared_ptr<Command> command_; ///< null: the test gives neither arguments nor variables
    std::map<std::string, std::uint64_t> counts_;
    std::optional<std::uint32_t> array_tasks_;
    std::string user_;
    bool names_uid_ = false;
    bool names_sender_ = false;
    TestDefaults defaults_;
};

// ---- what a test of a change can give of a job that slurmctld has --------------------------------------

/// What the change of a test sets: the fields of its job, also those that keep the value that they had.
model::UpdateParts parts_of_change(const PolicyTest& test);

/// Whether rules could read the job that a test of a change gives. Errors: invalid_input for a field that
/// slurmctld does not show at a change, or that no change sets, with what to write instead.
Result<void> check_change(const PolicyTest& test);

} // namespace qg::policy
