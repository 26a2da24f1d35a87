// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/unusable_request.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer.hpp"

#include <string>
#include <utility>

namespace qg::gate {
namespace {

struct Divisor {
    std::optional<std::uint32_t> model::JobRequest::*count;
    std::string_view option;
};

/// Those of all releases (slurm/README.md 2.6).
constexpr Divisor divisors[] = {
    {&model::JobRequest::tasks_per_socket, "--ntasks-per-socket"},
};

void refuse(model::Decision& decision, model::RejectCode code, std::string line, const LoggedJob& job,
            const policy::Settings& settings) {
    decision.reject = code;
    log_limits(decision, job, "refused", "", std::span(&line, 1));
    decision.message.push_back(std::move(line));
    append_contact(decision.message, settings);
}

void refuse_too_large(model::Decision& decision, std::string_view cannot, const TooLarge& found,
                      const LoggedJob& job, const policy::Settings& settings) {
    std::string line = text::format("{}: {}", cannot, found.why);
    if (!found.advice.empty()) line += "; " + found.advice;
    refuse(decision, model::RejectCode::text_too_long, std::move(line), job, settings);
}

} // namespace

[[gnu::cold]] void answer_too_large(model::Decision& decision, const TooLarge& found, const LoggedJob& job,
                                    const Site& site, bool enforces_limits) {
    const bool may_break_limits = enforces_limits && job.view.enforce.limits && !found.slurmctld_refuses;
    if (may_break_limits && !site.context.provider.is_operator(job.request.submit_uid))
        return refuse_too_large(decision, "the limits of this job cannot be checked", found, job,
                                site.settings());
    log_limits(decision, job, "unchecked", "", std::span(&found.why, 1));
}

[[gnu::cold]] model::Decision answer_unread(const ResolvedRequest& resolved, const LoggedJob& job,
                                            const Site& site) {
    model::Decision decision;
    const TooLarge found = find_too_large(resolved).value_or(TooLarge{});
    const auto event = job.change == nullptr ? policy::JobEvent::submit : policy::JobEvent::modify;
    const auto parts = job.change == nullptr ? model::UpdateParts::all() : job.change->parts;
    if (site.policy != nullptr && site.policy->has_enforcing_rule_at(event, parts))
        refuse_too_large(decision, "the site's rules cannot be applied to this job", found, job,
                         site.settings());
    else
        answer_too_large(decision, found, job, site,
                         site.enforces_limits() && parts.has(model::UpdatePart::limits));
    return decision;
}

std::string_view find_zero_divisor(const model::JobRequest& request) noexcept {
    for (const Divisor& divisor : divisors)
        if (request.*divisor.count == 0u) return divisor.option;
    return {};
}

[[gnu::cold]] void refuse_zero_divisor(model::Decision& decision, std::string_view option,
                                       const LoggedJob& job, const policy::Settings& settings) {
    // The user need not read how slurmctld can be ended.
    refuse(decision, model::RejectCode::access_denied,
           text::format("{}=0 is no count: ask for at least 1, or leave it out", option), job, settings);
}

} // namespace qg::gate
