// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/room.hpp"

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
using model::TresLimit;

/// What else counts against a limit, beside the job.
enum class Beside : std::uint8_t { nothing, user, account, all };
constexpr std::size_t beside_count = 4;

/// How a TRES limit counts, at its strictest.
struct TresMeaning {
    Beside beside = Beside::nothing;
    bool in_minutes = false; ///< the job's time multiplies
    bool adds_past = false;  ///< what was used in the past counts too
    bool is_minimum = false;
};

constexpr TresMeaning meaning_of(TresLimit limit) {
    using enum TresLimit;
    switch (limit) {
    case max_tres_per_job:
    case max_tres_per_node: return {};
    case max_tres_per_user: return {.beside = Beside::user};
    case max_tres_per_account: return {.beside = Beside::account};
    case grp_tres: return {.beside = Beside::all};
    case max_tres_mins_per_job: return {.in_minutes = true};
    case grp_tres_mins: return {.beside = Beside::all, .in_minutes = true, .adds_past = true};
    case grp_tres_run_mins: return {.beside = Beside::all, .in_minutes = true};
    case max_tres_run_mins_per_user: return {.beside = Beside::user, .in_minutes = true};
    case max_tres_run_mins_per_account: return {.beside = Beside::account, .in_minutes = true};
    case min_tres_per_job: return {.is_minimum = true};
    }
    return {};
}

/// What a limit counts that has one value.
enum class Counted : std::uint8_t { running, submitted, minutes };

struct CountMeaning {
    Beside beside = Beside::nothing;
    Counted counted = Counted::running;
};

constexpr CountMeaning meaning_of(CountLimit limit) {
    using enum CountLimit;
    switch (limit) {
    case grp_jobs:
    case max_jobs: return {Beside::all, Counted::running};
    case max_jobs_per_user: return {Beside::user, Counted::running};
    case max_jobs_per_account: return {Beside::account, Counted::running};
    case grp_submit_jobs:
    case max_submit_jobs: return {Beside::all, Counted::submitted};
    case max_submit_jobs_per_user: return {Beside::user, Counted::submitted};
    case max_submit_jobs_per_account: return {Beside::account, Counted::submitted};
    case max_wall: return {Beside::nothing, Counted::minutes};
    case grp_wall: return {Beside::all, Counted::minutes};
    }
    return {};
}

/// The meaning of each of the first `count` limits: a table, since it is looked at for every job.
template <typename Limit, std::size_t count>
constexpr auto table_of_meanings() {
    std::array<decltype(meaning_of(Limit{})), count> meanings{};
    for (std::size_t i = 0; i < count; ++i)
        meanings[i] = meaning_of(static_cast<Limit>(i));
    return meanings;
}
constexpr auto tres_meanings = table_of_meanings<TresLimit, model::tres_limit_count>();
constexpr auto count_meanings = table_of_meanings<CountLimit, model::count_limit_count>();

/// What is in use beside the job, found when the first limit asks: `find(beside)` may walk slurmctld's lists
/// of users and accounts.
template <typename Find>
class UsedOnce {
  public:
    explicit UsedOnce(Find find) : find_(find) {}

    const InUse& operator()(Beside beside) {
        auto& found = found_[static_cast<std::size_t>(beside)];
        if (!found) found = find_(beside);
        return *found;
    }

  private:
    Find find_;
    std::array<std::optional<InUse>, beside_count> found_;
};

/// What of one TRES counts beside the job; whole minutes where the limit counts minutes.
std::uint64_t used_of(const InUse& used, std::size_t tres, const TresMeaning& meaning) {
    if (tres >= used.tres_count) return 0;
    if (!meaning.in_minutes) return used.tres == nullptr ? 0 : used.tres[tres];
    std::uint64_t minutes = used.committed == nullptr ? 0 : used.committed[tres];
    if (used.committed_in_seconds) minutes /= seconds_per_minute;
    if (!meaning.adds_past || used.past_seconds == nullptr) return minutes;
    const std::uint64_t past = whole_minutes(used.past_seconds[tres]);
    return minutes + std::min(past, std::numeric_limits<std::uint64_t>::max() - minutes);
}

std::uint64_t used_of(const InUse& used, Counted counted) {
    switch (counted) {
    case Counted::running: return used.jobs;
    case Counted::submitted: return used.submit_jobs;
    case Counted::minutes: return whole_minutes(used.wall_seconds);
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
bool leaves_room(const Demand& demand, const TresMeaning& meaning, const std::uint64_t* values,
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

bool leaves_room(const Demand& demand, const CountMeaning& meaning, std::uint64_t limit, const InUse& used) {
    std::uint64_t adds = 1;
    if (meaning.counted == Counted::submitted) adds = demand.array_tasks;
    if (meaning.counted == Counted::minutes) adds = minutes_of(demand);
    return adds != 0 && fits(adds, used_of(used, meaning.counted), limit);
}

/// The same for each limit of a table that the record sets. `used(beside)` finds what is in use.
template <typename Record, std::size_t N, typename Used>
bool leaves_room(const Demand& demand, const Record& record, const rows::TresRow<Record> (&table)[N],
                 rows::Levels levels, Used& used) {
    for (const auto& row : table) {
        const std::uint64_t* const values = record.*row.values;
        if (row.levels > levels || !is_set(record.*row.text) || values == nullptr) continue;
        const TresMeaning& meaning = tres_meanings[static_cast<std::size_t>(row.limit)];
        if (!leaves_room(demand, meaning, values, used(meaning.beside))) return false;
    }
    return true;
}

template <typename Record, std::size_t N, typename Used>
bool leaves_room(const Demand& demand, const Record& record, const rows::CountRow<Record> (&table)[N],
                 rows::Levels levels, Used& used) {
    for (const auto& row : table) {
        const std::uint32_t limit = record.*row.value;
        if (row.levels > levels || !is_count(limit)) continue;
        const CountMeaning& meaning = count_meanings[static_cast<std::size_t>(row.limit)];
        if (!leaves_room(demand, meaning, limit, used(meaning.beside))) return false;
    }
    return true;
}

} // namespace

bool Room::is_left_by(const slurmdb_qos_rec_t& qos) const {
    if (read_factor(qos.limit_factor) || read_qos_flags(qos.flags).usage_factor_safe) return false;
    const auto of_one = [&](const slurmdb_used_limits_t* usage) {
        return usage == nullptr ? InUse{} : in_use(*usage, qos.usage->tres_cnt);
    };
    UsedOnce used([&](Beside beside) -> InUse {
        if (qos.usage == nullptr) return {};
        switch (beside) {
        case Beside::nothing: return {};
        case Beside::user: return of_one(usage_of_user(*qos.usage, user_id_));
        case Beside::account: return of_one(usage_of_account(*qos.usage, account_));
        case Beside::all: return in_use(*qos.usage);
        }
        return {};
    });
    return leaves_room(demand_, qos, rows::qos_tres, rows::Levels::all, used) &&
           leaves_room(demand_, qos, rows::qos_count, rows::Levels::all, used);
}

bool Room::is_left_by(const slurmdb_assoc_rec_t& association) const {
    UsedOnce used([&](Beside beside) -> InUse {
        return beside == Beside::nothing || association.usage == nullptr ? InUse{}
                                                                         : in_use(*association.usage);
    });
    const auto levels = is_set(association.user) ? rows::Levels::user : rows::Levels::all;
    return leaves_room(demand_, association, rows::assoc_tres, levels, used) &&
           leaves_room(demand_, association, rows::assoc_count, levels, used);
}

} // namespace qg::slurm
