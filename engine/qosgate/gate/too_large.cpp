// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/too_large.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer.hpp"

#include <utility>

namespace qg::gate {
namespace {

void refuse(model::Decision& decision, std::string_view cannot, const TooLarge& found, const LoggedJob& job,
            const policy::Settings& settings) {
    std::string line = text::format("{}: {}", cannot, found.why);
    if (!found.advice.empty()) line += "; " + found.advice;
    decision.reject = model::RejectCode::text_too_long;
    log_limits(decision, job, "refused", "", std::span(&line, 1));
    decision.message.push_back(std::move(line));
    append_contact(decision.message, settings);
}

} // namespace

[[gnu::cold]] void answer_too_large(model::Decision& decision, const TooLarge& found, const LoggedJob& job,
                                    const Site& site, bool enforces_limits) {
    const bool may_break_limits = enforces_limits && job.view.enforce.limits && !found.slurmctld_refuses;
    if (may_break_limits && !site.context.provider.is_operator(job.request.submit_uid))
        return refuse(decision, "the limits of this job cannot be checked", found, job, site.settings());
    log_limits(decision, job, "unchecked", "", std::span(&found.why, 1));
}

[[gnu::cold]] model::Decision answer_unread(const ResolvedRequest& resolved, const LoggedJob& job,
                                            const Site& site) {
    model::Decision decision;
    const TooLarge found = find_too_large(resolved).value_or(TooLarge{});
    const auto event = job.change == nullptr ? policy::JobEvent::submit : policy::JobEvent::modify;
    const auto parts = job.change == nullptr ? model::UpdateParts::all() : job.change->parts;
    if (site.policy != nullptr && site.policy->has_enforcing_rule_at(event, parts))
        refuse(decision, "the site's rules cannot be applied to this job", found, job, site.settings());
    else
        answer_too_large(decision, found, job, site,
                         site.enforces_limits() && parts.has(model::UpdatePart::limits));
    return decision;
}

} // namespace qg::gate
