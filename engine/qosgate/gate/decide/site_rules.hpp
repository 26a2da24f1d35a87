// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runs the site's rules over one job. They see names the way slurmctld reads them, however the user wrote
// them.
#pragma once

#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/model/job_update.hpp"
#include "qosgate/policy/policy.hpp"

#include <string_view>
#include <vector>

namespace qg::gate {

/// What the site's rules did to a request. Ownership: borrows request and policy.
struct RulesRun {
    const model::JobRequest& submitted;
    const policy::Policy& policy;
    bool has_failures = false;
    std::vector<policy::FieldWriter> writers; ///< of the fields that rules changed
    std::vector<std::ptrdiff_t> notes = {};   ///< see RuleOutcome
};

/// Runs the rules over a new job. They read QOS and account as spelled in accounting (unknown names in lower
/// case), and partitions and reservations without empty and repeated parts. Fields that rules do not change
/// stay as the user wrote them. A job that names a gres twice is rejected before any rule, without an event:
/// rules would see another count than it gets. `costs` gets what each rule took; null: nobody measures.
/// `own_qos`: see DecisionView. No failure of a rule is counted for a job that names_no_partition().
policy::RuleOutcome run_site_rules(const policy::Policy& policy, const ResolvedRequest& submitted,
                                   std::vector<policy::RuleCost>* costs = nullptr,
                                   std::optional<model::Qos>* own_qos = nullptr);

/// The same for a job that may never be: a suggestion. No failure of a rule is counted.
policy::RuleOutcome try_site_rules(const policy::Policy& policy, const ResolvedRequest& submitted);

/// Whether a rule failed, whatever that led to.
[[nodiscard]] bool has_failure(const policy::RuleOutcome& outcome);

/// The same for a change. The outcome's changes are not to be applied. `before` is the job before the
/// change; null if no rule reads it. A change of which rules cannot count the gres (why_gres_are_hidden(),
/// update_rules.hpp) is rejected before any rule.
policy::RuleOutcome run_site_rules_at_change(const policy::Policy& policy, const ResolvedRequest& after,
                                             const ResolvedRequest* before, const model::JobUpdate& update);

/// The same for a part of a change, `after` which slurmctld may refuse the rest. The outcome has the
/// rejections alone, and its texts say that they are about this part. No failure of a rule is counted.
policy::RuleOutcome run_site_rules_at_part(const policy::Policy& policy, const model::JobUpdate& update,
                                           const model::StoredPart& part, const ResolvedRequest& after,
                                           const ResolvedRequest* before);

} // namespace qg::gate
