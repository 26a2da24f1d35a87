// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/job_time.hpp"

#include "qosgate/base/saturate.hpp"

#include <algorithm>

namespace qg::limits {

bool fit_time(Evaluation& evaluation, std::uint32_t limit) {
    if (!evaluation.time) {
        // A limit of zero means the partition's MaxTime here.
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

std::uint32_t time_for_minutes(const Evaluation& evaluation) {
    const std::uint32_t time = time_or_none(evaluation);
    if (!evaluation.counts_time_min || !evaluation.job.time_min) return time;
    const std::uint32_t min_time = evaluation.job.time_min->minutes;
    return min_time != 0 && min_time < std::min(time, evaluation.max_to_cut.minutes) ? min_time : time;
}

std::uint32_t scale_time(std::uint32_t minutes, double factor) {
    const bool is_unlimited = minutes == TimeLimit::unlimited_minutes;
    if (is_unlimited && factor >= 1.0) return minutes;
    // slurmctld drops the bits above the lower 32.
    constexpr double too_large = 0x1p63;
    const double scaled = static_cast<double>(minutes) * factor;
    return scaled < too_large ? static_cast<std::uint32_t>(saturate(scaled)) : 0;
}

} // namespace qg::limits
