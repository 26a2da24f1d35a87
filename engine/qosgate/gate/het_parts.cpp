// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/het_parts.hpp"

#include "qosgate/limits/explain.hpp"
#include "qosgate/limits/submit.hpp"

namespace qg::gate {
namespace {

constexpr std::size_t most_parts = 16;

bool share_association(const model::AccountView& a, const model::AccountView& b) {
    return !a.associations.empty() && !b.associations.empty() && a.account == b.account &&
           a.associations.front().partition == b.associations.front().partition;
}

} // namespace

/// The part, asking for what all parts of its association ask for.
model::ResolvedJob HetParts::sum_with(const Part& part) const {
    model::ResolvedJob sum = part.job;
    for (const Part& other : parts_) {
        if (&other == &part || !share_association(other.view, part.view)) continue;
        sum.array_tasks += other.job.array_tasks;
        for (std::size_t tres = 0; tres < sum.tres.size(); ++tres)
            sum.tres[tres] += model::count_at(other.job.tres, tres);
    }
    return sum;
}

std::optional<std::string> HetParts::add(const Resolved& resolved, limits::Release release) {
    if (is_told_ || parts_.size() >= most_parts) return std::nullopt;
    if (release.follows(limits::rules::checks_components_one_by_one)) return std::nullopt;
    parts_.push_back({resolved.view(), resolved.job});
    if (parts_.size() == 1) return std::nullopt;
    for (const Part& part : parts_) {
        auto verdict =
            limits::evaluate_submit(part.view, sum_with(part), release, limits::Strictness::as_configured);
        if (verdict.accepted()) continue;
        is_told_ = true;
        limits::Violation& first = verdict.violations.front();
        first.is_of_parts = true;
        return "the parts of this job exceed a limit together: " +
               limits::describe(first, part.view, /*names_owner=*/true);
    }
    return std::nullopt;
}

} // namespace qg::gate
