// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `qosgate status` shows: where the plugin stands, as one JSON object. plugin/status_file.hpp writes it.
#pragma once

#include "qosgate/model/decision.hpp"
#include "qosgate/policy/store.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace qg::plugin {

/// How many decisions there were since the start, and of which kind.
/// Threads: any.
class DecisionCounts {
  public:
    void count(const model::Decision& decision, bool is_change) noexcept;
    /// Members of the JSON object: "\"jobs\": 7, …".
    [[nodiscard]] std::string to_json() const;

  private:
    std::atomic<std::uint64_t> jobs_ = 0;
    std::atomic<std::uint64_t> changes_ = 0; ///< of jobs, by scontrol update
    std::atomic<std::uint64_t> refused_ = 0; ///< by the plugin
    std::atomic<std::uint64_t> written_ = 0; ///< jobs that rules changed
    std::atomic<std::uint64_t> told_ = 0;    ///< whose user read something of the plugin's
    std::atomic<std::uint64_t> failed_ = 0;  ///< in which a rule failed
};

/// Everything the report says.
/// Ownership: borrows.
struct StatusReport {
    std::time_t started_at;
    const policy::StoreStatus& policy;
    policy::Level limits; ///< of the policy in force
    std::optional<std::time_t> partitions_read_at;
    const std::string& partitions_error; ///< why they cannot be read now; empty: they can
    const DecisionCounts& counts;

    /// Members of a JSON object, without braces.
    [[nodiscard]] std::string to_json() const;
    /// The line for the log at a start.
    [[nodiscard]] std::string to_line() const;
};

} // namespace qg::plugin
