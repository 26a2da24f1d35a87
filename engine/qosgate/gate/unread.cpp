// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/unread.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

bool has_enforcing_rule(const policy::Policy* policy) {
    return policy != nullptr && std::ranges::any_of(policy->rules(), [](const policy::RuleInfo& rule) {
               return rule.mode == policy::RuleMode::enforce;
           });
}

} // namespace

[[gnu::cold]] model::Decision answer_unread(const model::UnreadText& unread, const policy::Policy* policy) {
    const std::string why =
        text::format("its {} has more than {} {}", unread.field, unread.most, unread.unit);
    model::Decision decision;
    if (!has_enforcing_rule(policy)) {
        decision.log = {{LogLevel::info, "no opinion on this job: " + why}};
        return decision;
    }
    decision.reject = model::RejectCode::text_too_long;
    decision.message = {"the site's rules cannot be applied to this job: " + why};
    decision.log = {{LogLevel::info, decision.message.front()}};
    return decision;
}

} // namespace qg::gate
