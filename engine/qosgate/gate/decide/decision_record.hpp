// SPDX-License-Identifier: GPL-2.0-or-later
//
// decision_record: one decision as one line of JSON, for the file that the setting `record_file` names
// (contrib/decision-record.schema.json).
#pragma once

#include "qosgate/gate/decide/candidate_comparison.hpp"
#include "qosgate/model/decision.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/job_update.hpp"
#include "qosgate/policy/policy.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qg::gate {

// ---- the request ---------------------------------------------------------------------------------------
// The request in a decision record: its fields by the names of rules, and what else decides about a job, so
// that it can be decided about again (`qosgate policy replay`).

/// How much of a text a record has.
inline constexpr std::size_t max_recorded_text = 1000;

/// A member of a request that no field of rules shows.
template <typename Value>
struct OtherValue {
    std::string_view name; ///< in the record
    Value model::JobRequest::*member;
};
inline constexpr OtherValue<std::optional<std::uint32_t>> other_counts[] = {
    {"min_cpus", &model::JobRequest::min_cpus},
    {"max_cpus", &model::JobRequest::max_cpus},
    {"tasks_per_tres", &model::JobRequest::tasks_per_tres},
    {"sockets_per_node", &model::JobRequest::sockets_per_node},
    {"minutes_to_deadline", &model::JobRequest::minutes_to_deadline},
};
inline constexpr OtherValue<std::optional<std::string>> other_texts[] = {
    {"cpus_per_tres", &model::JobRequest::cpus_per_tres},
    {"mem_per_tres", &model::JobRequest::memory_per_tres},
};
/// `false` is left out.
inline constexpr OtherValue<bool> other_flags[] = {
    {"is_batch", &model::JobRequest::is_batch},
    {"overcommit", &model::JobRequest::overcommit},
    {"is_het_part", &model::JobRequest::is_het_part},
    {"begins_later", &model::JobRequest::begins_later},
    {"has_dependency", &model::JobRequest::has_dependency},
};

/// What the request sets, by the names of rules, as an object. Fields that are long, private or counted are
/// left out.
std::string fields_json(const model::JobRequest& request);

/// The other values, as an object: `cut` names fields whose text is not recorded as it was sent, `unread` the
/// one that was too long to be read.
std::string other_values_json(const model::JobRequest& request);

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
