// SPDX-License-Identifier: GPL-2.0-or-later
//
// The answer to a change of a job that costs too much to look at.
#pragma once

#include "qosgate/model/decision.hpp"
#include "qosgate/policy/policy.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace qg::plugin {

struct UnseenChange {
    std::optional<std::uint32_t> job_id; ///< nothing: not known
    std::uint32_t submit_uid = 0;
    bool by_operator = false;
    std::string_view why; ///< what costs too much, for user and log
};

/// A refusal where a rule must see each change, or limits are enforced; but never of an operator. Else no
/// opinion, which the log says.
model::Decision answer_unseen_change(const UnseenChange& change, const policy::Policy& policy);

} // namespace qg::plugin
