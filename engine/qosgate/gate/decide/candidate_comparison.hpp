// SPDX-License-Identifier: GPL-2.0-or-later
//
// Comparison: what a candidate policy would have done with a job, compared with what was decided.
//
//   const Decision decided = gate.decide(request, cluster, in_force);
//   const Decision other = gate.decide(request, cluster, candidate);
//   const Comparison comparison = compare(request, decided, other, *candidate);
#pragma once

#include "qosgate/model/decision.hpp"
#include "qosgate/policy/policy.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qg::gate {

/// "accepted", "refused", or "refused by slurmctld" (which qosgate expects); a literal.
[[nodiscard]] std::string_view describe_decision(const model::Decision& decision) noexcept;

/// How the decision of a candidate policy differs from that of the policy in force. If nothing differs, only
/// `policy`, `outcome` and `user` are set.
struct Comparison {
    std::uint64_t policy = 0; ///< the candidate's hash
    std::string_view outcome; ///< the candidate's; a literal
    bool outcome_differs = false;
    bool message_differs = false; ///< what the user reads
    /// "qos: normal -> debug", from the job as it was left to the job as the candidate leaves it; only if
    /// both accept it.
    std::vector<std::string> changes = {};
    std::vector<std::string> message = {}; ///< the candidate's, if it differs
    /// The rules of either policy that did what the other one's rules did not, in order; empty: limits,
    /// partitions or settings made the difference.
    std::vector<std::string> rules = {};
    /// Those of the candidate that the decision has not; at most 16.
    std::vector<model::DecisionEvent> events = {};
    std::string user = {}; ///< the owner's login name, as far as the candidate's decision knows it

    [[nodiscard]] bool differs() const noexcept {
        return outcome_differs || message_differs || !changes.empty();
    }
};

/// Compares two decisions about one job. `request` is the job as the site's script in force left it; if the
/// candidate's decision is about another one, `other.changed` has it. What rules in mode shadow do is no
/// difference. Cost: linear in the fields of a job, and in events times events, of which a policy has a
/// bounded number per rule.
[[nodiscard]] Comparison compare(const model::JobRequest& request, const model::Decision& decided,
                                 const model::Decision& other, const policy::Policy& candidate);

} // namespace qg::gate
