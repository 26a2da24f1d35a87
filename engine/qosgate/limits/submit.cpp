// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/submit.hpp"

#include <algorithm>
#include <unordered_set>

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
    const auto same_limit = [](const Violation& a, const Violation& b) { return a.same_limit(b); };
    // Dozens of partitions may give hundreds of violations.
    std::unordered_set<Violation, LimitHash, decltype(same_limit)> seen(found.size());
    for (const Violation& violation : found)
        if (seen.insert(violation).second) verdict.violations.push_back(violation);
    return verdict;
}

} // namespace qg::limits
