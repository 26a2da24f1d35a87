// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/binding.hpp"

#include "qosgate/limits/comparison.hpp"
#include "qosgate/limits/reason.hpp"

#include <algorithm>
#include <span>

namespace qg::limits {
namespace {

/// The stage that compares a limit with usage.
const Stage& stage_of(const LimitId& limit) noexcept {
    switch (model::facts_of(limit).measure) {
    case LimitMeasure::submitted_jobs: return submit_stage;
    case LimitMeasure::running_jobs:
    case LimitMeasure::wall: return pre_select_stage;
    case LimitMeasure::tres:
    case LimitMeasure::tres_minutes:
    case LimitMeasure::tres_run_minutes: break;
    }
    return post_select_stage;
}

/// Runs the rows of a stage without a job.
class Finder {
  public:
    Finder(Evaluation& evaluation, std::vector<BindingLimit>& found)
        : evaluation_(evaluation), found_(found) {}

    void run(const Stage& stage) {
        evaluation_.begin_stage(std::nullopt, /*is_set_by_limit=*/false);
        evaluation_.for_each_qos(
            [&](const OwnerView& owner) { run(stage, stage.qos, owner, /*reads_users_limits=*/true); });
        evaluation_.for_each_association([&](const OwnerView& owner, bool reads_users_limits) {
            run(stage, stage.association, owner, reads_users_limits);
        });
    }

  private:
    void run(const Stage& stage, std::span<const Row> rows, const OwnerView& owner, bool reads_users_limits) {
        for (const Row& row : rows) {
            const bool is_here = &stage_of(row.limit) == &stage;
            if (!is_here || !evaluation_.applies(row, owner, reads_users_limits)) continue;
            if (std::holds_alternative<TresLimit>(row.limit))
                take_tres(row, owner);
            else if (const auto value = evaluation_.take(row, owner))
                add(row, owner, std::nullopt, *value);
        }
    }

    void take_tres(const Row& row, const OwnerView& owner) {
        const auto factor = evaluation_.factor_of(row);
        const auto values = owner.limits.values(std::get<TresLimit>(row.limit));
        for (std::size_t word = 0; word < evaluation_.applied.words(); ++word)
            for_each_bit(word, evaluation_.take_bits(row, owner, word), [&](std::size_t tres) {
                add(row, owner, tres, factor ? scale_limit(values[tres], *factor) : values[tres]);
            });
    }

    void add(const Row& row, const OwnerView& owner, std::optional<std::size_t> tres, std::uint64_t value) {
        const BindingLimit limit{
            .limit = row.limit,
            .owner = owner.owner,
            .tres = tres,
            .value = value,
            .used = counts_usage(row) ? used_against(row.limit, tres, usage_for(row, owner)) : 0,
            .reason = reason_for(row.limit, owner.owner.kind, tres)};
        // A wall limit has two rows.
        const auto is_same = [&](const BindingLimit& other) {
            return other.limit == limit.limit && other.owner == limit.owner && other.tres == limit.tres;
        };
        if (std::ranges::any_of(found_, is_same)) return;
        if (evaluation_.may_be_shown(
                {.limit = limit.limit, .owner = limit.owner, .tres = tres, .reason = limit.reason}))
            found_.push_back(limit);
    }

    bool counts_usage(const Row& row) const {
        const auto measure = model::facts_of(row.limit).measure;
        const bool is_of_minutes =
            measure == LimitMeasure::tres_minutes || measure == LimitMeasure::tres_run_minutes;
        return !is_of_minutes || counts_minutes(evaluation_, row);
    }

    static const model::Usage& usage_for(const Row& row, const OwnerView& owner) {
        static const model::Usage nothing;
        const LimitScope scope = row.usage_of();
        const bool is_of_single_jobs = scope == LimitScope::job || scope == LimitScope::node;
        return is_of_single_jobs ? nothing : model::usage_in_scope(owner, scope);
    }

    std::string_view reason_for(const LimitId& limit, OwnerKind kind, std::optional<std::size_t> tres) const {
        if (const auto* count = std::get_if<CountLimit>(&limit)) return reason_of(kind, *count);
        return reason_of(kind, std::get<TresLimit>(limit), evaluation_.view.tres->kind(tres.value_or(0)));
    }

    Evaluation& evaluation_;
    std::vector<BindingLimit>& found_;
};

} // namespace

std::uint64_t used_against(const LimitId& limit, std::optional<std::size_t> tres,
                           const model::Usage& usage) noexcept {
    const std::size_t at = tres.value_or(0);
    switch (model::facts_of(limit).measure) {
    case LimitMeasure::tres: return model::count_at(usage.tres, at);
    case LimitMeasure::tres_minutes: return model::count_at(usage.tres_minutes, at);
    case LimitMeasure::tres_run_minutes: return model::count_at(usage.tres_run_minutes, at);
    case LimitMeasure::running_jobs: return usage.jobs;
    case LimitMeasure::submitted_jobs: return usage.submit_jobs;
    case LimitMeasure::wall: return usage.wall_minutes;
    }
    return 0;
}

std::vector<BindingLimit> find_binding_limits(const model::AccountView& view, std::size_t partition,
                                              Release release) {
    std::vector<BindingLimit> found;
    if (!view.enforce.limits) return found;
    const model::ResolvedJob no_job;
    Evaluation evaluation(view, no_job, partition, release, Strictness::as_configured);
    Finder finder(evaluation, found);
    for (const Stage* stage : {&post_select_stage, &pre_select_stage, &submit_stage})
        finder.run(*stage);
    const auto place = [&](const BindingLimit& limit) {
        if (limit.owner.kind == OwnerKind::association)
            return evaluation.qos_order().size() + limit.owner.index;
        const auto order = evaluation.qos_order();
        return static_cast<std::size_t>(std::ranges::find(order, limit.owner.index) - order.begin());
    };
    std::ranges::stable_sort(found, {}, place);
    return found;
}

} // namespace qg::limits
