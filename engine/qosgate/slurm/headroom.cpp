// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/headroom.hpp"

#include "qosgate/model/limit_facts.hpp"
#include "qosgate/slurm/accounting_records.hpp"
#include "qosgate/slurm/limit_rows.hpp"
#include "qosgate/slurm/usage_view.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace qg::slurm {
namespace {

using model::CountLimit;
using model::LimitMeasure;
using model::LimitScope;
using model::ResourceBounds;
using model::TresLimit;

/// The strictest way in which any check counts a limit; limits/tables.cpp asserts that no check counts more.
struct Meaning {
    LimitScope scope{}; ///< whose usage counts in addition to the job
    LimitMeasure measure{};
    bool in_minutes = false;   ///< the job's TRES are multiplied by its time
    bool adds_decayed = false; ///< past usage counts too
    bool is_minimum = false;
};

constexpr Meaning meaning_of(const model::LimitFacts& facts) {
    return {facts.scope, facts.measure, facts.counts_tres_minutes(), facts.counts_the_past(),
            facts.sense == model::LimitSense::minimum};
}

/// The meaning of each limit in the order of limit_facts. The table is compact because it is read for every
/// job.
constexpr auto meanings = [] {
    std::array<Meaning, model::limit_facts.size()> all;
    std::ranges::transform(model::limit_facts, all.begin(), meaning_of);
    return all;
}();

constexpr const Meaning& meaning_of(TresLimit limit) {
    return meanings[static_cast<std::size_t>(limit)];
}
constexpr const Meaning& meaning_of(CountLimit limit) {
    return meanings[model::tres_limit_count + static_cast<std::size_t>(limit)];
}

/// The usage of other jobs, looked up when the first limit needs it: `find(scope)` may walk slurmctld's lists
/// of users and accounts.
template <typename Find>
class UsedOnce {
  public:
    explicit UsedOnce(Find find) : find_(find) {}

    const UsageView& operator()(LimitScope scope) {
        auto& found = found_[static_cast<std::size_t>(scope)];
        if (!found) found = find_(scope);
        return *found;
    }

  private:
    Find find_;
    std::array<std::optional<UsageView>, model::limit_scope_count> found_;
};

/// The usage of one TRES that counts in addition to the job; whole minutes if the limit counts minutes.
std::uint64_t used_of(const UsageView& used, std::size_t tres, const Meaning& meaning) {
    if (!meaning.in_minutes) return used.running(tres);
    const std::uint64_t minutes = used.run_minutes(tres);
    if (!meaning.adds_decayed) return minutes;
    return minutes + std::min(used.past_minutes(tres), std::numeric_limits<std::uint64_t>::max() - minutes);
}

/// The same for a limit with one value.
std::uint64_t used_of(const UsageView& used, LimitMeasure measure) {
    switch (measure) {
    case LimitMeasure::running_jobs: return used.jobs;
    case LimitMeasure::submitted_jobs: return used.submit_jobs;
    case LimitMeasure::wall: return used.wall_minutes();
    case LimitMeasure::tres:
    case LimitMeasure::tres_minutes:
    case LimitMeasure::tres_run_minutes: break;
    }
    return 0;
}

/// Whether usage plus the job's size stay within the limit.
constexpr bool fits(std::uint64_t adds, std::uint64_t used, std::uint64_t limit) noexcept {
    return adds <= limit && used <= limit - adds;
}

/// The job's time in minutes; 0 if it requests no time, or a time of zero.
std::uint64_t minutes_of(const ResourceBounds& bounds) noexcept {
    return bounds.time_limit ? bounds.time_limit->minutes : 0;
}

/// Whether all values of a TRES limit leave room.
bool is_within_limits(const ResourceBounds& bounds, const Meaning& meaning, const std::uint64_t* values,
                      const UsageView& used) {
    const std::uint64_t minutes = minutes_of(bounds);
    for (std::size_t tres = 0; tres < bounds.max.size(); ++tres) {
        const std::uint64_t limit = values[tres];
        if (!is_count(limit)) continue;
        if (meaning.is_minimum) {
            if (bounds.min[tres] < limit) return false;
            continue;
        }
        std::uint64_t adds = bounds.max[tres];
        if (adds == 0) continue; // a TRES that the job does not request never exceeds a maximum
        if (meaning.in_minutes) {
            // Beyond 32 bits slurmctld computes products and quotients differently (limits/README.md 5.2).
            constexpr std::uint64_t max = std::numeric_limits<std::uint32_t>::max();
            if (minutes == 0 || (limit | adds) > max) return false;
            adds *= minutes;
        }
        if (!fits(adds, used_of(used, tres, meaning), limit)) return false;
    }
    return true;
}

bool is_within_limits(const ResourceBounds& bounds, const Meaning& meaning, std::uint64_t limit,
                      const UsageView& used) {
    std::uint64_t adds = bounds.array_tasks; // of an array some may run, which the user is told
    if (meaning.measure == LimitMeasure::wall) adds = minutes_of(bounds);
    return adds != 0 && fits(adds, used_of(used, meaning.measure), limit);
}

/// The same for each limit of a table that the record sets. `used(scope)` returns the usage.
template <typename Record, std::size_t N, typename Used>
bool is_within_limits(const ResourceBounds& bounds, const Record& record,
                      const rows::TresRow<Record> (&table)[N], bool is_users, Used& used) {
    for (const auto& row : table) {
        const std::uint64_t* const values = record.*row.values;
        if ((row.of_users_alone && !is_users) || !is_set(record.*row.text) || values == nullptr) continue;
        const Meaning& meaning = meaning_of(row.limit);
        if (!is_within_limits(bounds, meaning, values, used(meaning.scope))) return false;
    }
    return true;
}

template <typename Record, std::size_t N, typename Used>
bool is_within_limits(const ResourceBounds& bounds, const Record& record,
                      const rows::CountRow<Record> (&table)[N], bool is_users, Used& used) {
    for (const auto& row : table) {
        const std::uint32_t limit = record.*row.value;
        if ((row.of_users_alone && !is_users) || !is_count(limit)) continue;
        const Meaning& meaning = meaning_of(row.limit);
        if (!is_within_limits(bounds, meaning, limit, used(meaning.scope))) return false;
    }
    return true;
}

} // namespace

bool Headroom::suffices_for(const slurmdb_qos_rec_t& qos) const {
    if (read_factor(qos.limit_factor) || read_qos_flags(qos.flags).usage_factor_safe) return false;
    const auto of_one = [&](const slurmdb_used_limits_t* usage) {
        return usage == nullptr ? UsageView{} : view_usage(*usage, qos.usage->tres_cnt);
    };
    UsedOnce used([&](LimitScope scope) -> UsageView {
        if (qos.usage == nullptr) return {};
        switch (scope) {
        case LimitScope::job:
        case LimitScope::node: return {};
        case LimitScope::user: return of_one(usage_of_user(*qos.usage, user_id_));
        case LimitScope::account: return of_one(usage_of_account(*qos.usage, account_));
        case LimitScope::group: return view_usage(*qos.usage);
        }
        return {};
    });
    return is_within_limits(bounds_, qos, rows::qos_tres, /*is_users=*/true, used) &&
           is_within_limits(bounds_, qos, rows::qos_count, /*is_users=*/true, used);
}

bool Headroom::suffices_for(const slurmdb_assoc_rec_t& association) const {
    UsedOnce used([&](LimitScope scope) -> UsageView {
        return scope != LimitScope::group || association.usage == nullptr ? UsageView{}
                                                                          : view_usage(*association.usage);
    });
    const bool is_users = is_set(association.user);
    return is_within_limits(bounds_, association, rows::assoc_tres, is_users, used) &&
           is_within_limits(bounds_, association, rows::assoc_count, is_users, used);
}

} // namespace qg::slurm
