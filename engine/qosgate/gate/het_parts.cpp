// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/het_parts.hpp"

#include "qosgate/limits/explain.hpp"
#include "qosgate/limits/submit.hpp"

#include <algorithm>
#include <variant>

namespace qg::gate {
namespace {

constexpr std::size_t most_parts = 16;

/// Whether all that running jobs use together counts here. Parts may share nodes, which then count once.
bool counts_parts_together(const limits::Violation& violation, const model::AccountView& view) {
    using limits::TresLimit;
    const auto* limit = std::get_if<TresLimit>(&violation.limit);
    return limit != nullptr && violation.relation == limits::Relation::asked_too_much &&
           violation.tres != view.tres->node() &&
           (*limit == TresLimit::grp_tres || *limit == TresLimit::max_tres_per_user ||
            *limit == TresLimit::max_tres_per_account);
}

/// Whether the same QOSs count for both.
bool share_qos(const model::AccountView& a, const model::AccountView& b) {
    return a.job_qos.name == b.job_qos.name && a.partitions.size() == 1 && b.partitions.size() == 1 &&
           a.partitions.front().partition == b.partitions.front().partition;
}

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
    return find_what_never_starts(release);
}

/// Where no limit refuses: one that the parts, which start together, exceed for good.
std::optional<std::string> HetParts::find_what_never_starts(limits::Release release) {
    const Part& last = parts_.back();
    const auto shares = [&](const Part& part) {
        return share_association(part.view, last.view) && share_qos(part.view, last.view);
    };
    if (!std::ranges::all_of(parts_, shares)) return std::nullopt;
    const auto verdict =
        limits::evaluate_submit(last.view, sum_with(last), release, limits::Strictness::assume_strict);
    const auto lasting = std::ranges::find_if(verdict.violations, [&](const limits::Violation& violation) {
        return counts_parts_together(violation, last.view);
    });
    if (lasting == verdict.violations.end()) return std::nullopt;
    is_told_ = true;
    return "this job can never start as it is, since its parts exceed a limit together: " +
           limits::describe(*lasting, last.view, /*names_owner=*/true);
}

} // namespace qg::gate
