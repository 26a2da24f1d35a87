// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/headroom.hpp"

#include "qosgate/base/unrolled.hpp"
#include "qosgate/model/limit_facts.hpp"
#include "qosgate/model/qos_flags.hpp"
#include "qosgate/slurm/accounting_records.hpp"
#include "qosgate/slurm/limit_rows.hpp"
#include "qosgate/slurm/usage_view.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <array>
#include <iterator>
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

/// The usage of other jobs in a QOS. That of the user and of the account is looked up when the first limit
/// needs it: slurmctld keeps it in lists.
class UsageInQos {
  public:
    UsageInQos(const slurmdb_qos_rec_t& qos, std::uint32_t user_id, std::string_view account)
        : usage_(qos.usage), user_id_(user_id), account_(account) {}

    UsageView operator()(LimitScope scope) {
        if (usage_ == nullptr) return {};
        switch (scope) {
        case LimitScope::job:
        case LimitScope::node: return {};
        case LimitScope::user:
            if (!of_user_) of_user_ = usage_of_user(*usage_, user_id_);
            return of_one(*of_user_);
        case LimitScope::account:
            if (!of_account_) of_account_ = usage_of_account(*usage_, account_);
            return of_one(*of_account_);
        case LimitScope::group: return view_usage(*usage_);
        }
        return {};
    }

  private:
    [[nodiscard]] UsageView of_one(const slurmdb_used_limits_t* used) const {
        return used == nullptr ? UsageView{} : view_usage(*used, usage_->tres_cnt);
    }

    const slurmdb_qos_usage_t* usage_;
    std::uint32_t user_id_;
    std::string_view account_;
    std::optional<const slurmdb_used_limits_t*> of_user_;
    std::optional<const slurmdb_used_limits_t*> of_account_;
};

/// The usage of other jobs in an association.
class UsageInAssociation {
  public:
    explicit UsageInAssociation(const slurmdb_assoc_rec_t& association) : usage_(association.usage) {}

    UsageView operator()(LimitScope scope) const {
        return scope != LimitScope::group || usage_ == nullptr ? UsageView{} : view_usage(*usage_);
    }

  private:
    const slurmdb_assoc_usage_t* usage_;
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
[[gnu::hot]] bool is_within_limits(const ResourceBounds& bounds, const Meaning& meaning,
                                   const std::uint64_t* values, const UsageView& used) {
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

[[gnu::hot]] bool is_within_limits(const ResourceBounds& bounds, const Meaning& meaning, std::uint64_t limit,
                                   const UsageView& used) {
    std::uint64_t adds = bounds.array_tasks; // of an array some may run, which the user is told
    if (meaning.measure == LimitMeasure::wall) adds = minutes_of(bounds);
    return adds != 0 && fits(adds, used_of(used, meaning.measure), limit);
}

/// The value of a limit in a record; null: the record does not set it.
template <typename Record>
const std::uint64_t* find_limit(const rows::TresRow<Record>& row, const Record& record) {
    return is_set(record.*row.text) ? record.*row.values : nullptr;
}
template <typename Record>
const std::uint32_t* find_limit(const rows::CountRow<Record>& row, const Record& record) {
    return is_count(record.*row.value) ? &(record.*row.value) : nullptr;
}

// Not inlined: they are called for each limit. `used(scope)` returns the usage.
template <typename Used>
[[gnu::hot, gnu::noinline]] bool is_within_limits(const ResourceBounds& bounds, const Meaning& meaning,
                                                  const std::uint64_t* values, Used& used) {
    return is_within_limits(bounds, meaning, values, used(meaning.scope));
}
template <typename Used>
[[gnu::hot, gnu::noinline]] bool is_within_limits(const ResourceBounds& bounds, const Meaning& meaning,
                                                  const std::uint32_t* limit, Used& used) {
    return is_within_limits(bounds, meaning, std::uint64_t{*limit}, used(meaning.scope));
}

/// Whether the job is within each limit of a table that the record sets.
template <const auto& table, typename Record, typename Used>
bool all_within_limits(const ResourceBounds& bounds, const Record& record, bool is_users, Used& used) {
    return all_of_indices<std::size(table)>([&]<std::size_t i>() {
        constexpr auto row = table[i];
        if (row.of_users_alone && !is_users) return true;
        const auto* const limit = find_limit(row, record);
        if (limit == nullptr) [[likely]]
            return true;
        return is_within_limits(bounds, meaning_of(row.limit), limit, used);
    });
}

} // namespace

bool Headroom::suffices_for(const slurmdb_qos_rec_t& qos) const {
    constexpr std::uint32_t usage_factor_safe = model::qos_flag_bit(&model::QosFlags::usage_factor_safe);
    if (read_factor(qos.limit_factor) || (static_cast<std::uint32_t>(qos.flags) & usage_factor_safe) != 0)
        return false;
    UsageInQos used(qos, user_id_, account_);
    return all_within_limits<rows::qos_tres>(bounds_, qos, /*is_users=*/true, used) &&
           all_within_limits<rows::qos_count>(bounds_, qos, /*is_users=*/true, used);
}

bool Headroom::suffices_for(const slurmdb_assoc_rec_t& association) const {
    const UsageInAssociation used(association);
    const bool is_users = is_set(association.user);
    return all_within_limits<rows::assoc_tres>(bounds_, association, is_users, used) &&
           all_within_limits<rows::assoc_count>(bounds_, association, is_users, used);
}

} // namespace qg::slurm
