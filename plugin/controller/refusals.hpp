// SPDX-License-Identifier: GPL-2.0-or-later
//
// The answers to requests that the gate does not judge: while the site's rules are not known everything is
// refused, and the log names the user; and a change of a job that would take too long to read.
#pragma once

#include "qosgate/gate/decide/decision_log.hpp"
#include "qosgate/model/decision.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/policy/store.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace qg::plugin {

/// The refusal of a new job while the rules are not known.
model::Decision refuse_job(const policy::StoreStatus& status, const gate::LoggedJob& job);

/// The same of a change: the job itself is not read. `job_id` may be empty (not known).
model::Decision refuse_change(const policy::StoreStatus& status, std::optional<std::uint32_t> job_id,
                              std::uint32_t submit_uid);

struct UnreadableChange {
    std::optional<std::uint32_t> job_id; ///< empty: not known
    std::uint32_t submit_uid = 0;
    bool by_operator = false;
    std::string_view why;                                 ///< what takes too long, for user and log
    model::UpdateParts parts = model::UpdateParts::all(); ///< what it sets
};

/// Refuses the change if a rule must see it, or if limits are enforced that it touches; but never a change by
/// an operator. Otherwise it accepts the change unchecked, and the log says so.
model::Decision answer_unreadable_change(const UnreadableChange& change, const policy::Policy& policy);

} // namespace qg::plugin
