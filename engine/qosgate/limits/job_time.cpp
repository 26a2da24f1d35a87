// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/job_time.hpp"

#include "qosgate/base/saturate.hpp"

namespace qg::limits {

bool fit_time(Evaluation& evaluation, std::uint32_t limit) {
    if (!evaluation.time) {
        // A limit of zero stands for the partition's MaxTime in this place.
        evaluation.time = limit == 0 ? evaluation.partition_max_time : TimeLimit{limit};
        evaluation.time_set_by_limit = true;
    } else if (evaluation.time_set_by_limit && evaluation.time->minutes > limit) {
        evaluation.time->minutes = limit;
    }
    return evaluation.time->minutes <= limit;
}

std::uint32_t time_or_none(const Evaluation& evaluation) {
    constexpr std::uint32_t no_time_minutes = TimeLimit::unlimited_minutes - 1;
    return evaluation.time ? evaluation.time->minutes : no_time_minutes;
}

bool is_endless(const Evaluation& evaluation) {
    return !evaluation.time || evaluation.time->is_unlimited();
}

std::uint32_t scale_time(std::uint32_t minutes, double factor) {
    const bool is_unlimited = minutes == TimeLimit::unlimited_minutes;
    if (is_unlimited && factor >= 1.0) return minutes;
    // What does not fit into 32 bits loses its upper ones there.
    constexpr double too_large = 0x1p63;
    const double scaled = static_cast<double>(minutes) * factor;
    return scaled < too_large ? static_cast<std::uint32_t>(saturate(scaled)) : 0;
}

} // namespace qg::limits
