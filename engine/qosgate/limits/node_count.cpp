// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/node_count.hpp"

#include "qosgate/limits/checks.hpp"
#include "qosgate/limits/reason.hpp"

#include <array>
#include <limits>

namespace qg::limits {
namespace {

using enum TresLimit;

// In the order in which slurmctld looks; an equal limit met later does not replace an earlier one. Of the
// associations' GrpTRES the nearest that lowers the number counts.
constexpr std::array qos_rows{
    Row{.check = checks::request_alone, .limit = max_tres_per_account},
    Row{.check = checks::request_alone, .limit = max_tres_per_job},
    Row{.check = checks::request_alone, .limit = max_tres_per_user},
    Row{.check = checks::request_alone, .limit = grp_tres},
};
constexpr std::array association_rows{
    Row{.check = checks::request_alone,
        .limit = grp_tres,
        .hidden_by = {grp_tres},
        .remembers = false,
        .scaled = true,
        .nearest_only = true},
    Row{.check = checks::request_alone,
        .limit = max_tres_per_job,
        .levels = Levels::user,
        .hidden_by = {max_tres_per_account, max_tres_per_job, max_tres_per_user},
        .remembers = false,
        .scaled = true},
};

static_assert(are_well_formed(qos_rows) && are_well_formed(association_rows));

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// A limit found, and who sets it.
struct Found {
    TresLimit limit{};
    Owner owner;
    std::uint64_t value = no_limit;
};

/// Looks at one TRES, limit by limit; keeps the lowest.
class Search {
  public:
    Search(std::size_t tres, std::optional<double> factor) : tres_(tres), factor_(factor) {}

    void look(const Row& row, Owner owner, const model::Limits& limits) {
        const TresLimit limit = *std::get_if<TresLimit>(&row.limit);
        if (met_.meets(row.hidden_by) || (row.remembers && met_.meets(limit))) return;
        auto value = limits.get(limit, tres_);
        if (!value) return;
        if (row.remembers) met_ += limit;
        if (row.scaled && factor_) value = scale_limit(*value, *factor_);
        if (*value >= lowest_.value) return;
        if (row.nearest_only) met_ += limit;
        lowest_ = {limit, owner, *value};
    }
    [[nodiscard]] const Found& lowest() const noexcept { return lowest_; }

  private:
    std::size_t tres_;
    std::optional<double> factor_;
    LimitSet met_; ///< for this TRES
    Found lowest_;
};

/// LimitFactor of the first QOS: one that only the second sets is never looked at here.
std::optional<double> factor_of_first_qos(const Evaluation& job) {
    const auto order = job.qos_order();
    return order.empty() ? std::nullopt : job.view.qos[order.front()].limit_factor;
}

} // namespace

constexpr Stage node_count_stage{qos_rows, association_rows};

std::optional<Violation> find_node_limit(const Evaluation& job) {
    const auto node = job.view.tres->node();
    if (!node) return std::nullopt;
    Search search(*node, factor_of_first_qos(job));
    // Limit by limit over both QOSs, then association by association.
    for (const Row& row : node_count_stage.qos)
        for (const std::size_t qos : job.qos_order())
            search.look(row, {OwnerKind::qos, qos}, job.view.qos[qos].limits);
    job.for_each_association([&](const OwnerView& owner, bool is_user_level) {
        for (const Row& row : node_count_stage.association)
            if (row.levels == Levels::all || is_user_level) search.look(row, owner.owner, owner.limits);
    });
    const Found& lowest = search.lowest();
    if (lowest.value == no_limit) return std::nullopt;
    return Violation{lowest.limit,
                     lowest.owner,
                     *node,
                     model::count_at(*job.counts, *node),
                     lowest.value,
                     0,
                     Relation::asked_too_much,
                     reason_of(lowest.owner.kind, lowest.limit, model::TresKind::node)};
}

} // namespace qg::limits
