// SPDX-License-Identifier: GPL-2.0-or-later
//
// The answers while the site's rules are not known: everything is refused, and the log names the user.
#pragma once

#include "qosgate/gate/decide/decision_log.hpp"
#include "qosgate/model/decision.hpp"
#include "qosgate/policy/store.hpp"

#include <cstdint>
#include <optional>

namespace qg::plugin {

/// The refusal of a new job.
model::Decision refuse_job(const policy::StoreStatus& status, const gate::LoggedJob& job);

/// The refusal of a change: the job itself is not read. `job_id` may be empty (not known).
model::Decision refuse_change(const policy::StoreStatus& status, std::optional<std::uint32_t> job_id,
                              std::uint32_t submit_uid);

} // namespace qg::plugin
