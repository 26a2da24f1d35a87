// SPDX-License-Identifier: GPL-2.0-or-later
//
// Checks of the number of jobs.
#include "qosgate/limits/checks.hpp"
#include "qosgate/limits/comparison.hpp"

namespace qg::limits::checks::functions {

void submit_count(const Comparison& at, CountLimit limit) {
    const auto value = at.evaluation.take(at.row, at.owner);
    if (!value) return;
    const std::uint64_t used = at.usage().submit_jobs;
    const std::uint64_t asked = at.evaluation.job.array_tasks;
    if (used + asked > *value)
        at.add(limit, asked, *value, used,
               asked > *value ? Relation::asked_too_much : Relation::not_enough_left);
}

void running_count(const Comparison& at, CountLimit limit) {
    const auto value = at.evaluation.take(at.row, at.owner);
    if (!value) return;
    const std::uint64_t used = at.usage().jobs;
    if (used >= *value)
        at.add(limit, 1, *value, used, *value == 0 ? Relation::asked_too_much : Relation::used_up);
}

} // namespace qg::limits::checks::functions
