// SPDX-License-Identifier: GPL-2.0-or-later
//
// The request in a decision record: its fields by the names of rules, and what else decides about a job, so
// that it can be decided about again (`qosgate policy replay`).
#pragma once

#include "qosgate/model/job_request.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qg::gate {

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

} // namespace qg::gate
