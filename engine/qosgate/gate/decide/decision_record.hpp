// SPDX-License-Identifier: GPL-2.0-or-later
//
// decision_record: one decision as one line of JSON, for the file that the setting `record_file` names
// (contrib/decision-record.schema.json).
#pragma once

#include "qosgate/gate/decide/candidate_comparison.hpp"
#include "qosgate/model/decision.hpp"
#include "qosgate/model/job_update.hpp"
#include "qosgate/policy/policy.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qg::gate {

/// The job that a record is about. Ownership: borrows.
struct RecordedJob {
    const model::JobRequest& request;      ///< as it was sent; of a change, the job after it
    std::optional<std::uint32_t> job_id{}; ///< of a change; 0: not known
    const Comparison* candidate = nullptr; ///< null: no candidate was tried
};

/// When a decision was made, and how long that took.
struct RecordedTime {
    std::chrono::system_clock::time_point at;
    std::chrono::microseconds took{};
};

/// Whether a decision did more than accept a job as it was.
[[nodiscard]] bool did_something(const model::Decision& decision) noexcept;

/// The record without a newline. Texts are cut at 1000 bytes and without control characters; the job's
/// script, arguments and environment are not in it.
std::string to_record(std::string_view id, const RecordedTime& time, const RecordedJob& job,
                      const model::Decision& decision, const policy::Policy& policy);

} // namespace qg::gate
