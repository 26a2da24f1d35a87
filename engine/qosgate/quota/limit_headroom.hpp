// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a job certainly stays within one limit, whatever kind of record sets it: the strictest reading of
// each limit. Most jobs are far from every limit, and whole views of limits cost most of a verdict.
//
// `Used`, the usage of other jobs that counts, has the amounts of one TRES, running(i), run_minutes(i) and
// past_minutes(i), and jobs, submit_jobs and wall_minutes().
#pragma once

#include "qosgate/model/limit_facts.hpp"
#include "qosgate/model/resource_bounds.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>

namespace qg::quota::headroom {

/// The strictest way in which any check counts a limit; limits/tables.cpp asserts that no check counts more.
struct Meaning {
    model::LimitScope scope{}; ///< whose usage counts in addition to the job
    model::LimitMeasure measure{};
    bool in_minutes = false;   ///< the job's TRES are multiplied by its time
    bool adds_decayed = false; ///< past usage counts too
    bool is_minimum = false;
};

constexpr Meaning to_meaning(const model::LimitFacts& facts) {
    return {facts.scope, facts.measure, facts.counts_tres_minutes(), facts.counts_the_past(),
            facts.sense == model::LimitSense::minimum};
}

/// The meaning of each limit in the order of limit_facts. The table is compact because it is read for every
/// job.
inline constexpr auto meanings = [] {
    std::array<Meaning, model::limit_facts.size()> all;
    std::ranges::transform(model::limit_facts, all.begin(), to_meaning);
    return all;
}();

constexpr const Meaning& meaning_of(model::TresLimit limit) {
    return meanings[static_cast<std::size_t>(limit)];
}
constexpr const Meaning& meaning_of(model::CountLimit limit) {
    return meanings[model::tres_limit_count + static_cast<std::size_t>(limit)];
}

/// The usage of one TRES that counts in addition to the job; whole minutes if the limit counts minutes.
template <typename Used>
std::uint64_t used_of(const Used& used, std::size_t tres, const Meaning& meaning) {
    if (!meaning.in_minutes) return used.running(tres);
    const std::uint64_t minutes = used.run_minutes(tres);
    if (!meaning.adds_decayed) return minutes;
    return minutes + std::min(used.past_minutes(tres), std::numeric_limits<std::uint64_t>::max() - minutes);
}

/// The same for a limit with one value.
template <typename Used>
std::uint64_t used_of(const Used& used, model::LimitMeasure measure) {
    using model::LimitMeasure;
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
inline std::uint64_t minutes_of(const model::ResourceBounds& bounds) noexcept {
    return bounds.time_limit ? bounds.time_limit->minutes : 0;
}

/// Whether all values of a TRES limit leave room. `find_value(tres)` is an optional value.
template <typename FindValue, typename Used>
bool has_room_for_tres(const model::ResourceBounds& bounds, const Meaning& meaning, FindValue find_value,
                       const Used& used) {
    const std::uint64_t minutes = minutes_of(bounds);
    for (std::size_t tres = 0; tres < bounds.max.size(); ++tres) {
        const std::optional<std::uint64_t> value = find_value(tres);
        if (!value) continue;
        const std::uint64_t limit = *value;
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

/// Whether a limit with one value leaves room.
template <typename Used>
bool has_room(const model::ResourceBounds& bounds, const Meaning& meaning, std::uint64_t limit,
              const Used& used) {
    std::uint64_t adds = bounds.array_tasks; // of an array some may run, which the user is told
    if (meaning.measure == model::LimitMeasure::wall) adds = minutes_of(bounds);
    return adds != 0 && fits(adds, used_of(used, meaning.measure), limit);
}

} // namespace qg::quota::headroom
