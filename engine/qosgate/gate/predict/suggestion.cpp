// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/predict/suggestion.hpp"

#include "qosgate/gate/nodes/node_demand.hpp"
#include "qosgate/gate/nodes/placement.hpp"
#include "qosgate/gate/predict/request_fitter.hpp"
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

/// The maximum of changes to one proposal. After a change another limit may block the job; that rarely
/// happens more than twice.
constexpr int max_rounds = 8;

/// The maximum of forecasts for all searches together: slurmctld waits meanwhile.
constexpr int max_forecasts = 40;

/// The maximum of partitions that the request is fitted to one by one.
constexpr std::size_t max_partitions_fitted = 4;

bool is_permanent(const Violation& violation) {
    return violation.is_permanent();
}

/// How to comply with limits per node: more nodes, or fewer resources.
enum class PerNode : std::uint8_t { spread, shrink };

/// Changes the request so that it keeps the limits, unless that would reveal numbers that are hidden from the
/// reader. Tries more nodes first, without any other change.
bool satisfy_all(RequestFitter& fitter, std::span<const Violation> violations, const model::AccountView& view,
                 PerNode per_node) {
    const auto is_hidden = [&](const Violation& v) { return limits::has_hidden_numbers(v, view); };
    if (std::ranges::any_of(violations, is_hidden)) return false;
    const auto spreads = [&](const Violation& v) { return fitter.spread(v); };
    if (per_node == PerNode::spread && std::ranges::any_of(violations, spreads)) return true;
    return fitter.satisfy(violations);
}

/// Searches for a request that the job's partitions accept.
class Search {
  public:
    /// `fit_to` are indices of the job's partitions; each forecast reduces `forecasts_left`.
    Search(const ResolvedRequest& asked, std::span<const std::size_t> fit_to, PerNode per_node,
           int& forecasts_left)
        : asked_(asked), fit_to_(fit_to), per_node_(per_node), forecasts_left_(forecasts_left) {}

    std::optional<JobRequest> run(const DetailedForecast& forecast) {
        JobRequest proposal = asked_.request;
        if (!fit(proposal, asked_, forecast)) return std::nullopt;
        for (int round = 0; round < max_rounds; ++round) {
            JobRequest fitted = proposal;
            Step step = check(proposal, fitted, forecast.strictness);
            if (step == Step::taken) {
                const auto placed = place_on_nodes(proposal);
                if (!placed) return std::nullopt;
                if (!placed->has_grown) return proposal;
                step = check(placed->request, fitted, forecast.strictness);
                if (step == Step::taken) return proposal;
            }
            if (step == Step::lost) return std::nullopt;
            proposal = std::move(fitted);
        }
        return std::nullopt;
    }

  private:
    enum class Step { taken, fitted, lost };

    /// Makes the full forecast of a request. If it is not accepted, changes the proposal that it was made
    /// from.
    Step check(const JobRequest& request, JobRequest& proposal, limits::Strictness strictness) const {
        if (forecasts_left_ == 0) return Step::lost;
        --forecasts_left_;
        ResolvedRequest resolved = resolve(request, asked_.context);
        if (!resolved.known || !are_open_to_user(resolved)) return Step::lost;
        const DetailedForecast forecast = predict_fully(resolved, strictness);
        if (forecast.starts_by_itself()) return Step::taken;
        return fit(proposal, resolved, forecast) ? Step::fitted : Step::lost;
    }

    std::optional<Placed> place_on_nodes(const JobRequest& proposal) const {
        return place(resolve(proposal, asked_.context));
    }

    bool fit(JobRequest& proposal, const ResolvedRequest& resolved, const DetailedForecast& forecast) const {
        const auto time = forecast.summary.time_limit ? forecast.summary.time_limit : resolved.job.time_limit;
        RequestFitter fitter(proposal, resolved.job, resolved.view(), time, fit_to_, node_rules(resolved));
        if (!forecast.refusing.empty()) {
            // The partition's maximum of nodes comes before limits per node.
            const auto fit_size = [&](const model::Partition& partition) {
                return fitter.fit_size_into(partition);
            };
            return change_for_partitions(resolved.view(), fit_size) ||
                   satisfy_all(fitter, forecast.refusing, resolved.view(), per_node_);
        }
        const auto fit = [&](const model::Partition& partition) { return fitter.fit_into(partition); };
        if (forecast.refusal)
            return is_of_partitions(forecast.refusal->code) && change_for_partitions(resolved.view(), fit);
        const PendingCause* cause = find_pending_cause(forecast);
        if (cause == nullptr) return false;
        if (!cause->rules.empty() && change_for_partitions(resolved.view(), fit)) return true;
        // If nothing is permanent and nothing else runs, past usage is what blocks the job.
        if (!cause->is_permanent) return satisfy_all(fitter, cause->violations, resolved.view(), per_node_);
        std::vector<Violation> lasting;
        std::ranges::copy_if(cause->violations, std::back_inserter(lasting), is_permanent);
        return !lasting.empty() && satisfy_all(fitter, lasting, resolved.view(), per_node_);
    }

    /// The strictest of the partitions.
    [[nodiscard]] NodeRules node_rules(const ResolvedRequest& resolved) const {
        const model::AccountView& view = resolved.view();
        const model::Cluster& cluster = resolved.context.cluster;
        NodeRules rules{.takes_whole_nodes = may_take_whole_nodes(resolved.request, view, cluster),
                        .mib_per_cpu = {}};
        for (const std::size_t index : fit_to_) {
            if (index >= view.partitions.size()) continue;
            const auto max = max_memory_of(*view.partitions[index].partition, cluster);
            if (max && max->per_cpu && max->mib != 0)
                rules.mib_per_cpu = std::min(rules.mib_per_cpu.value_or(max->mib), max->mib);
        }
        return rules;
    }

    /// What blocks the job in the partitions that it is fitted to, permanent causes first; null if nothing.
    const PendingCause* find_pending_cause(const DetailedForecast& forecast) const {
        const PendingCause* found = nullptr;
        for (const PendingCause& cause : forecast.pending) {
            if (std::ranges::find(fit_to_, cause.partition) == fit_to_.end()) continue;
            if (found == nullptr || (cause.is_permanent && !found->is_permanent)) found = &cause;
        }
        return found;
    }

    static bool is_of_partitions(RejectCode code) {
        return code == RejectCode::partition_limits || code == RejectCode::too_many_cpus ||
               code == RejectCode::invalid_node_count || model::is_about_time(code);
    }

    /// Calls `change` for each of the partitions; whether any call changed anything.
    template <typename Change>
    bool change_for_partitions(const model::AccountView& view, Change change) const {
        bool is_changed = false;
        for (const std::size_t index : fit_to_)
            if (index < view.partitions.size())
                is_changed = change(*view.partitions[index].partition) || is_changed;
        return is_changed;
    }

    const ResolvedRequest& asked_;
    std::span<const std::size_t> fit_to_;
    PerNode per_node_;
    int& forecasts_left_;
};

/// Whether a limit per node blocks the job.
bool meets_limit_per_node(const DetailedForecast& forecast) {
    const auto is_per_node = [](const Violation& v) {
        return model::facts_of(v.limit).scope == model::LimitScope::node;
    };
    return std::ranges::any_of(forecast.refusing, is_per_node) ||
           std::ranges::any_of(forecast.pending, [&](const PendingCause& cause) {
               return std::ranges::any_of(cause.violations, is_per_node);
           });
}

/// The indices of the job's partitions, the longest MaxTime first.
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

std::optional<JobRequest> find_suggestion(const DetailedForecast& forecast, const ResolvedRequest& asked) {
    if (forecast.takes_the_job()) return std::nullopt;
    const std::vector<std::size_t> partitions = by_time(asked.view());
    const std::span all(partitions);
    // One partition that accepts the job is enough, unless slurmctld requires all.
    const std::size_t alone = all.size() > 1 ? std::min(all.size(), max_partitions_fitted) : 0;
    int forecasts_left = max_forecasts;
    const auto search = [&](std::span<const std::size_t> fit_to) {
        // The same size on more nodes comes before a smaller size.
        if (meets_limit_per_node(forecast))
            if (auto proposal = Search(asked, fit_to, PerNode::spread, forecasts_left).run(forecast))
                return proposal;
        return Search(asked, fit_to, PerNode::shrink, forecasts_left).run(forecast);
    };
    for (std::size_t i = 0; i < alone; ++i)
        if (auto proposal = search(all.subspan(i, 1))) return proposal;
    return search(all);
}

} // namespace qg::gate
