// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/room.hpp"

#include "qosgate/model/limit_facts.hpp"
#include "qosgate/slurm/in_use.hpp"
#include "qosgate/slurm/limit_rows.hpp"
#include "qosgate/slurm/limits.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace qg::slurm {
namespace {

using model::CountLimit;
using model::Demand;
using model::LimitMeasure;
using model::LimitScope;
using model::TresLimit;

/// How a limit counts, at its strictest.
struct Meaning {
    LimitScope scope{}; ///< whose usage counts beside the job
    LimitMeasure measure{};
    bool in_minutes = false; ///< the job's time multiplies its TRES
    bool adds_past = false;  ///< what was used in the past counts too
    bool is_minimum = false;
};

constexpr Meaning meaning_of(const model::LimitFacts& facts) {
    return {facts.scope, facts.measure, facts.counts_tres_minutes(), facts.counts_the_past(),
            facts.sense == model::LimitSense::minimum};
}

/// The meaning of each limit in the order of limit_facts, close together, since it is looked at for every
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

/// What is in use beside the job, found when the first limit asks: `find(scope)` may walk slurmctld's lists
/// of users and accounts.
template <typename Find>
class UsedOnce {
  public:
    explicit UsedOnce(Find find) : find_(find) {}

    const InUse& operator()(LimitScope scope) {
        auto& found = found_[static_cast<std::size_t>(scope)];
        if (!found) found = find_(scope);
        return *found;
    }

  private:
    Find find_;
    std::array<std::optional<InUse>, model::limit_scope_count> found_;
};

/// What of one TRES counts beside the job; whole minutes where the limit counts minutes.
std::uint64_t used_of(const InUse& used, std::size_t tres, const Meaning& meaning) {
    if (tres >= used.tres_count) return 0;
    if (!meaning.in_minutes) return used.tres == nullptr ? 0 : used.tres[tres];
    std::uint64_t minutes = used.committed == nullptr ? 0 : used.committed[tres];
    if (used.committed_in_seconds) minutes /= seconds_per_minute;
    if (!meaning.adds_past || used.past_seconds == nullptr) return minutes;
    const std::uint64_t past = whole_minutes(used.past_seconds[tres]);
    return minutes + std::min(past, std::numeric_limits<std::uint64_t>::max() - minutes);
}

/// The same of a limit that has one value.
std::uint64_t used_of(const InUse& used, LimitMeasure measure) {
    switch (measure) {
    case LimitMeasure::running_jobs: return used.jobs;
    case LimitMeasure::submitted_jobs: return used.submit_jobs;
    case LimitMeasure::wall: return whole_minutes(used.wall_seconds);
    case LimitMeasure::tres:
    case LimitMeasure::tres_minutes:
    case LimitMeasure::tres_run_minutes: break;
    }
    return 0;
}

/// Whether a limit is kept by what the job adds to what is in use.
constexpr bool fits(std::uint64_t adds, std::uint64_t used, std::uint64_t limit) noexcept {
    return adds <= limit && used <= limit - adds;
}

/// The job's time in minutes; 0 where it has none of its own, or one of no length.
std::uint64_t minutes_of(const Demand& demand) noexcept {
    return demand.time_limit ? demand.time_limit->minutes : 0;
}

/// Whether all values of a TRES limit leave room.
bool leaves_room(const Demand& demand, const Meaning& meaning, const std::uint64_t* values,
                 const InUse& used) {
    const std::uint64_t minutes = minutes_of(demand);
    for (std::size_t tres = 0; tres < demand.most.size(); ++tres) {
        const std::uint64_t limit = values[tres];
        if (!is_count(limit)) continue;
        if (meaning.is_minimum) {
            if (demand.least[tres] < limit) return false;
            continue;
        }
        std::uint64_t adds = demand.most[tres];
        if (adds == 0) continue; // no maximum is exceeded by a TRES that is not asked for
        if (meaning.in_minutes) {
            // Beyond 32 bits slurmctld's products and quotients are its own (limits/README.md 5.2).
            constexpr std::uint64_t largest = std::numeric_limits<std::uint32_t>::max();
            if (minutes == 0 || (limit | adds) > largest) return false;
            adds *= minutes;
        }
        if (!fits(adds, used_of(used, tres, meaning), limit)) return false;
    }
    return true;
}

bool leaves_room(const Demand& demand, const Meaning& meaning, std::uint64_t limit, const InUse& used) {
    std::uint64_t adds = 1;
    if (meaning.measure == LimitMeasure::submitted_jobs) adds = demand.array_tasks;
    if (meaning.measure == LimitMeasure::wall) adds = minutes_of(demand);
    return adds != 0 && fits(adds, used_of(used, meaning.measure), limit);
}

/// The same for each limit of a table that the record sets. `used(scope)` finds what is in use.
template <typename Record, std::size_t N, typename Used>
bool leaves_room(const Demand& demand, const Record& record, const rows::TresRow<Record> (&table)[N],
                 rows::Levels levels, Used& used) {
    for (const auto& row : table) {
        const std::uint64_t* const values = record.*row.values;
        if (row.levels > levels || !is_set(record.*row.text) || values == nullptr) continue;
        const Meaning& meaning = meaning_of(row.limit);
        if (!leaves_room(demand, meaning, values, used(meaning.scope))) return false;
    }
    return true;
}

template <typename Record, std::size_t N, typename Used>
bool leaves_room(const Demand& demand, const Record& record, const rows::CountRow<Record> (&table)[N],
                 rows::Levels levels, Used& used) {
    for (const auto& row : table) {
        const std::uint32_t limit = record.*row.value;
        if (row.levels > levels || !is_count(limit)) continue;
        const Meaning& meaning = meaning_of(row.limit);
        if (!leaves_room(demand, meaning, limit, used(meaning.scope))) return false;
    }
    return true;
}

} // namespace

bool Room::is_left_by(const slurmdb_qos_rec_t& qos) const {
    if (read_factor(qos.limit_factor) || read_qos_flags(qos.flags).usage_factor_safe) return false;
    const auto of_one = [&](const slurmdb_used_limits_t* usage) {
        return usage == nullptr ? InUse{} : in_use(*usage, qos.usage->tres_cnt);
    };
    UsedOnce used([&](LimitScope scope) -> InUse {
        if (qos.usage == nullptr) return {};
        switch (scope) {
        case LimitScope::job:
        case LimitScope::node: return {};
        case LimitScope::user: return of_one(usage_of_user(*qos.usage, user_id_));
        case LimitScope::account: return of_one(usage_of_account(*qos.usage, account_));
        case LimitScope::group: return in_use(*qos.usage);
        }
        return {};
    });
    return leaves_room(demand_, qos, rows::qos_tres, rows::Levels::all, used) &&
           leaves_room(demand_, qos, rows::qos_count, rows::Levels::all, used);
}

bool Room::is_left_by(const slurmdb_assoc_rec_t& association) const {
    UsedOnce used([&](LimitScope scope) -> InUse {
        return scope != LimitScope::group || association.usage == nullptr ? InUse{}
                                                                          : in_use(*association.usage);
    });
    const auto levels = is_set(association.user) ? rows::Levels::user : rows::Levels::all;
    return leaves_room(demand_, association, rows::assoc_tres, levels, used) &&
           leaves_room(demand_, association, rows::assoc_count, levels, used);
}

} // namespace qg::slurm
