// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/submit.hpp"

#include <algorithm>

namespace qg::limits {

SubmitVerdict evaluate_submit(const model::AccountView& view, const model::ResolvedJob& job, Release release,
                              Strictness strictness) {
    SubmitVerdict verdict;
    verdict.time_limit = job.time_limit;
    if (!view.enforce.limits) return verdict;

    std::vector<Violation> found;
    for (std::size_t partition = 0; partition < std::max<std::size_t>(view.partitions.size(), 1);
         ++partition) {
        Evaluation evaluation(view, job, partition, release, strictness);
        evaluation.time = verdict.time_limit;
        evaluation.time_set_by_limit = verdict.time_set_by_limit;
        evaluation.run(submit_stage, found);
        verdict.time_limit = evaluation.time;
        verdict.time_set_by_limit = evaluation.time_set_by_limit;
    }
    for (const Violation& violation : found) {
        const bool is_known = std::any_of(verdict.violations.begin(), verdict.violations.end(),
                                          [&](const Violation& seen) { return seen.same_limit(violation); });
        if (!is_known) verdict.violations.push_back(violation);
    }
    return verdict;
}

} // namespace qg::limits
