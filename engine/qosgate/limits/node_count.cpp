// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/node_count.hpp"

#include "qosgate/limits/reason.hpp"

#include <array>

namespace qg::limits {
namespace {

using enum TresLimit;

// In the order in which slurmctld looks; an equal limit met later does not replace an earlier one. Of the
// associations' GrpTRES the nearest that lowers the number counts.
constexpr std::array qos_rows{
    Row{.check = Check::request_alone, .limit = max_tres_per_account},
    Row{.check = Check::request_alone, .limit = max_tres_per_job},
    Row{.check = Check::request_alone, .limit = max_tres_per_user},
    Row{.check = Check::request_alone, .limit = grp_tres},
};
constexpr std::array association_rows{
    Row{.check = Check::request_alone,
        .limit = grp_tres,
        .hidden_by = {grp_tres},
        .remembers = false,
        .scaled = true,
        .nearest_only = true},
    Row{.check = Check::request_alone,
        .limit = max_tres_per_job,
        .levels = Levels::user,
        .hidden_by = {max_tres_per_account, max_tres_per_job, max_tres_per_user},
        .remembers = false,
        .scaled = true},
};

/// Whether any limit of this stage is set for a TRES.
bool is_any_set(const Evaluation& job, std::size_t tres) {
    constexpr LimitSet limits{max_tres_per_account, max_tres_per_job, max_tres_per_user, grp_tres};
    bool is_set = false;
    job.for_each_owner(
        [&](const OwnerView& owner, bool) { is_set = is_set || owner.limits.is_any_set(limits, tres); });
    return is_set;
}

} // namespace

std::optional<Violation> find_node_limit(const Evaluation& job) {
    const auto node = job.view.tres->node();
    if (!node || !is_any_set(job, *node)) return std::nullopt;
    Evaluation evaluation = job;
    evaluation.use_limit_factor_of_first_qos();
    std::optional<Violation> lowest;
    const auto look = [&](const Row& row, const OwnerView& owner) {
        if (!owner.limits.has_any(row.reads)) return;
        const auto limit = evaluation.take(row, owner, *node);
        if (!limit || (lowest && *limit >= lowest->limit_value)) return;
        if (row.nearest_only) evaluation.met.add(std::get<TresLimit>(row.limit), *node);
        const TresLimit id = std::get<TresLimit>(row.limit);
        lowest = Violation{id,
                           owner.owner,
                           *node,
                           model::count_at(*evaluation.counts, *node),
                           *limit,
                           0,
                           Relation::asked_too_much,
                           reason_of(owner.owner.kind, id, model::TresKind::node)};
    };
    // Limit by limit over both QOSs, then association by association.
    for (const Row& row : qos_rows)
        evaluation.for_each_owner([&](const OwnerView& owner, bool) {
            if (owner.owner.kind == OwnerKind::qos) look(row, owner);
        });
    evaluation.for_each_owner([&](const OwnerView& owner, bool is_user_level) {
        if (owner.owner.kind != OwnerKind::association) return;
        for (const Row& row : association_rows)
            if (row.levels == Levels::all || is_user_level) look(row, owner);
    });
    return lowest;
}

} // namespace qg::limits
