// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/unread.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/decision_log.hpp"

namespace qg::gate {
[[gnu::cold]] model::Decision answer_unread(const model::JobRequest& request, const model::AccountView& view,
                                            const policy::Policy* policy, const JobUpdate* change) {
    const model::UnreadText& unread = *request.unread;
    const std::string why =
        text::format("its {} has more than {} {}", unread.field, unread.most, unread.unit);
    const LoggedJob job{request, view, change};
    model::Decision decision;
    if (policy == nullptr || !policy->has_enforcing_rule()) {
        decision.log = {log_limits(job, "unchecked", "", std::span(&why, 1))};
        return decision;
    }
    decision.reject = model::RejectCode::text_too_long;
    decision.message = {"the site's rules cannot be applied to this job: " + why};
    decision.log = {log_limits(job, "refused", "", decision.message)};
    return decision;
}

} // namespace qg::gate
