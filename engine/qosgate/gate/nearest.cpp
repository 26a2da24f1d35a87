// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/nearest.hpp"

#include "qosgate/gate/mending.hpp"
#include "qosgate/gate/placement.hpp"
#include "qosgate/limits/explain.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

namespace qg::gate {
namespace {

using limits::Violation;
using model::JobRequest;
using model::RejectCode;

/// How often a proposal is mended before the search ends; one limit seldom uncovers another more than twice.
constexpr int max_rounds = 8;

/// In how many partitions by themselves a job is tried to be fitted.
constexpr std::size_t max_partitions = 4;

bool is_permanent(const Violation& violation) {
    return violation.is_permanent();
}

/// Meets limits, unless that told numbers that are hidden from the reader. Fewer nodes make everything
/// smaller that is asked for per node, so they come first, by themselves.
bool meet_all(Mending& mending, std::span<const Violation> violations, const model::AccountView& view) {
    const auto is_hidden = [&](const Violation& v) { return limits::has_hidden_numbers(v, view); };
    if (std::ranges::any_of(violations, is_hidden)) return false;
    const auto nodes = std::ranges::find_if(
        violations, [&](const Violation& v) { return v.tres && v.tres == view.tres->node(); });
    if (nodes != violations.end()) return mending.meet(*nodes);
    return std::ranges::all_of(violations, [&](const Violation& v) { return mending.meet(v); });
}

/// Looks for a request that partitions of a job take.
class Search {
  public:
    /// `fit_to` are indices of the job's partitions.
    Search(const Case& at, limits::Strictness strictness, std::span<const std::size_t> fit_to)
        : at_(at), strictness_(strictness), fit_to_(fit_to) {}

    std::optional<JobRequest> run(const Outlook& outlook) {
        JobRequest proposal = at_.request;
        if (!mend(proposal, at_.resolved, outlook)) return std::nullopt;
        for (int round = 0; round < max_rounds; ++round) {
            JobRequest mended = proposal;
            Step step = look_at(proposal, mended);
            if (step == Step::taken) {
                const auto placed = place_on_nodes(proposal);
                if (!placed) return std::nullopt;
                if (!placed->has_grown) return proposal;
                step = look_at(placed->request, mended);
                if (step == Step::taken) return proposal;
            }
            if (step == Step::lost) return std::nullopt;
            proposal = std::move(mended);
        }
        return std::nullopt;
    }

  private:
    enum class Step { taken, mended, lost };

    /// Looks far ahead at a request, and mends the proposal that it was made of where it is not taken.
    Step look_at(const JobRequest& request, JobRequest& proposal) const {
        Resolved resolved(request, &at_.cluster, at_.provider, at_.release);
        if (!resolved.known) return Step::lost;
        const Outlook outlook = look_far_ahead(resolved, request, at_.cluster, at_.release, strictness_);
        if (outlook.takes_the_job()) return Step::taken;
        return mend(proposal, resolved, outlook) ? Step::mended : Step::lost;
    }

    std::optional<Placed> place_on_nodes(const JobRequest& proposal) const {
        const Resolved resolved(proposal, &at_.cluster, at_.provider, at_.release);
        return place(proposal, resolved, at_.cluster, at_.release);
    }

    bool mend(JobRequest& proposal, const Resolved& resolved, const Outlook& outlook) const {
        const auto time = outlook.forecast.time_limit ? outlook.forecast.time_limit : resolved.job.time_limit;
        Mending mending(proposal, resolved.job, resolved.view(), time);
        if (!outlook.refusing.empty()) {
            // A partition's nodes before what is asked for on each.
            const auto fit_size = [&](const model::Partition& partition) {
                return mending.fit_size_into(partition);
            };
            return change_for_partitions(resolved.view(), fit_size) ||
                   meet_all(mending, outlook.refusing, resolved.view());
        }
        const auto fit = [&](const model::Partition& partition) { return mending.fit_into(partition); };
        if (outlook.refusal)
            return is_of_partitions(outlook.refusal->code) && change_for_partitions(resolved.view(), fit);
        const auto wait = std::ranges::find_if(outlook.held, [&](const Wait& held) {
            return held.is_permanent && std::ranges::find(fit_to_, held.partition) != fit_to_.end();
        });
        if (wait == outlook.held.end()) return false;
        if (!wait->rules.empty() && change_for_partitions(resolved.view(), fit)) return true;
        std::vector<Violation> lasting;
        std::ranges::copy_if(wait->violations, std::back_inserter(lasting), is_permanent);
        return !lasting.empty() && meet_all(mending, lasting, resolved.view());
    }

    static bool is_of_partitions(RejectCode code) {
        return code == RejectCode::partition_limits || code == RejectCode::invalid_time_limit ||
               code == RejectCode::invalid_node_count;
    }

    /// Whether `change` changed anything for any of the partitions.
    template <typename Change>
    bool change_for_partitions(const model::AccountView& view, Change change) const {
        bool is_changed = false;
        for (const std::size_t index : fit_to_)
            if (index < view.partitions.size())
                is_changed = change(*view.partitions[index].partition) || is_changed;
        return is_changed;
    }

    const Case& at_;
    limits::Strictness strictness_;
    std::span<const std::size_t> fit_to_;
};

/// The job's partitions, those with the most time first.
std::vector<std::size_t> by_time(const model::AccountView& view) {
    std::vector<std::size_t> indices(std::max<std::size_t>(view.partitions.size(), 1));
    for (std::size_t i = 0; i < indices.size(); ++i)
        indices[i] = i;
    if (view.partitions.empty()) return indices;
    std::ranges::stable_sort(indices, std::ranges::greater(),
                             [&](std::size_t index) { return view.partitions[index].partition->max_time; });
    return indices;
}

} // namespace

std::optional<JobRequest> find_nearest(const Outlook& outlook, const Case& at,
                                       limits::Strictness strictness) {
    const std::vector<std::size_t> partitions = by_time(at.resolved.view());
    const std::span all(partitions);
    // One that takes the job is enough, unless slurmctld wants it to fit all of them.
    const std::size_t alone = all.size() > 1 ? std::min(all.size(), max_partitions) : 0;
    for (std::size_t i = 0; i < alone; ++i)
        if (auto proposal = Search(at, strictness, all.subspan(i, 1)).run(outlook)) return proposal;
    return Search(at, strictness, all).run(outlook);
}

} // namespace qg::gate
