// SPDX-License-Identifier: GPL-2.0-or-later
//
// RuleRun: one run of one rule for one job. Writes go to a draft, which the first write makes. So a rule that
// fails, or whose mode is not `enforce`, does not change the job.
#pragma once

#include "qosgate/policy/fields.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

/// Threads: not thread-safe. The members that Lua's C functions call are noexcept and report through
/// ErrorText.
class RuleRun {
  public:
    /// The maximum number of warnings of one rule for one job; more are dropped.
    static constexpr std::size_t max_warnings = 10;

    /// Ownership: job and facts are borrowed for the object's life.
    RuleRun(const model::JobRequest& job, const RuleInput& facts) noexcept : job_(job), facts_(facts) {}

    [[nodiscard]] FieldSource source() const noexcept { return {draft_ ? *draft_ : job_, facts_}; }

    void write(const FieldSpec& field, const Value& value, ErrorText& error) noexcept;
    void warn(std::string_view message, ErrorText& error) noexcept;
    void reject(std::string_view message, ErrorText& error) noexcept;

    /// The changed job; empty if the rule wrote nothing.
    std::optional<model::JobRequest>& draft() noexcept { return draft_; }
    [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }
    [[nodiscard]] const std::optional<std::string>& rejection() const noexcept { return rejection_; }

  private:
    const model::JobRequest& job_;
    const RuleInput& facts_;
    std::optional<model::JobRequest> draft_;
    std::vector<std::string> warnings_;
    std::optional<std::string> rejection_;
};

} // namespace qg::policy
