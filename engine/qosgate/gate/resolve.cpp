// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/resolve.hpp"

#include "qosgate/gate/forecast.hpp"
#include "qosgate/gate/untold.hpp"
#include "qosgate/model/tres_request.hpp"
#include "qosgate/quota/privacy.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using model::TresCounts;

const model::AccountView& nothing_known() {
    static const model::AccountView nothing = [] {
        model::AccountView view;
        view.tres = model::TresCatalogue::built_in();
        view.hidden = quota::all_private;
        return view;
    }();
    return nothing;
}

[[gnu::hot]] quota::Lookup make_lookup(const model::JobRequest& request, const PartitionList& partitions,
                                       limits::Release release, std::optional<std::uint32_t> requester) {
    quota::Lookup lookup;
    lookup.user_id = request.user_id;
    if (request.account) lookup.account = *request.account;
    if (request.qos) lookup.qos = *request.qos;
    lookup.has_reservation = request.reservation.has_value();
    lookup.takes_qos_lists = release.follows(limits::rules::takes_qos_lists);
    lookup.requester = requester;
    lookup.reader = requester.value_or(request.submit_uid);
    lookup.names_others = !partitions.unknown.empty() || request.reservation.has_value();
    lookup.partitions = partitions.found;
    return lookup;
}

/// Extends the bounds to include `counts`.
void widen(TresCounts& min, TresCounts& max, const TresCounts& counts) {
    for (std::size_t tres = 0; tres < counts.size(); ++tres) {
        min[tres] = std::min(min[tres], counts[tres]);
        max[tres] = std::max(max[tres], counts[tres]);
    }
}

} // namespace

std::size_t bytes_of_resources(const model::JobRequest& request) {
    using model::JobRequest;
    std::size_t bytes = 0;
    for (const auto text : {&JobRequest::licenses, &JobRequest::tres_per_job, &JobRequest::tres_per_node,
                            &JobRequest::tres_per_socket, &JobRequest::tres_per_task,
                            &JobRequest::memory_per_tres, &JobRequest::cpus_per_tres})
        if (request.*text) bytes += (request.*text)->size();
    return bytes;
}

const model::AccountView& ResolvedRequest::view() const noexcept {
    return known ? *known : nothing_known();
}

/// Counts a job as soon as there is a view: at submission and in every attempt to start it.
class ResolvedRequest::Counting final : public quota::JobBounds {
  public:
    explicit Counting(ResolvedRequest& resolved) : resolved_(resolved) {}

    std::optional<model::ResourceBounds> bounds(const model::AccountView& view) override {
        is_done_ = true;
        resolved_.count(view);
        const JobCounter& counter = resolved_.counter;
        const model::ResolvedJob& job = resolved_.job;
        if (!certainly_starts(resolved_.partitions, counter, job, view)) return std::nullopt;
        model::ResourceBounds bounds{job.tres, job.tres, job.time_limit, job.array_tasks};
        for (std::size_t i = 0; i < std::max<std::size_t>(view.partitions.size(), 1); ++i) {
            const auto counts = counter.at_attempt(view, i, std::nullopt);
            if (!counts) continue;
            if (min_.empty()) min_ = max_ = job.tres;
            widen(min_, max_, *counts);
            bounds.min = min_;
            bounds.max = max_;
        }
        if (may_take_more_nodes(view)) add_nodes(bounds, view);
        return bounds;
    }

    [[nodiscard]] bool is_done() const noexcept { return is_done_; }

  private:
    /// Whether the nodes that the job asks for need not hold it: it gets more then, or is refused where a
    /// limit on nodes forbids that.
    [[nodiscard]] bool may_take_more_nodes(const model::AccountView& view) const {
        if (resolved_.request.tres_per_job) return true;
        const auto cpu = view.tres->find(model::TresKind::cpu);
        const std::uint64_t asked = cpu ? model::count_at(resolved_.job.tres, *cpu) : 0;
        return std::ranges::any_of(view.partitions, [asked](const model::PartitionChoice& choice) {
            return choice.partition->min_node_cpus != 0 && asked > choice.partition->min_node_cpus;
        });
    }

    /// Each node that it gets has one of its tasks or GPUs at least.
    [[gnu::cold]] void add_nodes(model::ResourceBounds& bounds, const model::AccountView& view) {
        const auto node = view.tres->node();
        if (!node) return;
        if (max_.empty()) min_ = max_ = resolved_.job.tres;
        std::uint64_t max = std::max<std::uint64_t>(max_[*node], resolved_.request.tasks.value_or(1));
        model::for_each_gres_item(resolved_.request.tres_per_job,
                                  [&](const model::TresItem& item) { max = std::max(max, item.count); });
        max_[*node] = max;
        bounds.min = min_;
        bounds.max = max_;
    }

    ResolvedRequest& resolved_;
    bool is_done_ = false;
    TresCounts min_; ///< empty if all attempts ask for the same as the submission
    TresCounts max_;
};

[[gnu::hot]] ResolvedRequest::ResolvedRequest(const model::JobRequest& asked, const ClusterContext& cluster,
                                              const ResolveOptions& options)
    : request(asked), context(cluster),
      partitions(find_partitions(asked, cluster.cluster, options.names_partitions)),
      counter(asked, cluster.cluster, cluster.release), known(look_up(options)) {
    if (!view().is_within_limits) mark_untold(job, request, view(), context.cluster, context.release);
}

[[gnu::hot]] Result<model::AccountView> ResolvedRequest::look_up(const ResolveOptions& options) {
    Counting counting(*this);
    quota::Lookup lookup = make_lookup(request, partitions, context.release, options.requester);
    const bool is_too_long = is_too_long_for(partitions.found.size(), request);
    if (options.kind == ViewKind::short_within_limits && !is_too_long) lookup.job_bounds = &counting;
    auto found = context.provider.check(lookup);
    if (found) found->usage_lasts = context.cluster.usage_lasts;
    if (!counting.is_done()) count(found ? *found : nothing_known());
    return found;
}

void ResolvedRequest::count(const model::AccountView& view) {
    counter.start(view);
    counter.count_submission(view, job);
}

ResolvedRequest resolve_again(const model::JobRequest& request, const ClusterContext& context,
                              bool is_change) {
    if (!is_change) return resolve(request, context, {.kind = ViewKind::short_within_limits});
    ResolvedRequest resolved =
        resolve(request, context, {.requester = request.submit_uid, .names_partitions = false});
    resolved.job.is_update = true;
    resolved.job.array_tasks = 1;
    return resolved;
}

bool knows_partitions_of(const ResolvedRequest& resolved) {
    const KnownCluster& known = resolved.context.known;
    return known.cluster != nullptr && (!known.may_have_changed || resolved.partitions.unknown.empty());
}

ResolvedRequest with_qos(const ResolvedRequest& resolved, std::size_t qos) {
    ResolvedRequest other = resolved;
    set_job_qos(*other.known, qos);
    other.known->job_qos.alternatives.clear();
    other.counter = JobCounter(resolved.counter, *other.known);
    return other;
}

} // namespace qg::gate
