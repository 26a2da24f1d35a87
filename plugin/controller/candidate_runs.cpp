// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/candidate_runs.hpp"

#include "qosgate/policy/policy.hpp"

namespace qg::plugin {
namespace {

using Clock = TimeAllowance::Clock;

constexpr std::uint32_t everybody = 0;

} // namespace

std::optional<gate::Comparison> CandidateRuns::compare(const policy::Policy& candidate,
                                                       const model::JobRequest& request,
                                                       const model::Decision& decided,
                                                       const Decide& decide) noexcept {
    std::optional<gate::Comparison> comparison;
    try {
        std::unique_lock turn(comparing_, std::defer_lock);
        const bool waits_for_nobody = candidate.script() == nullptr || turn.try_lock();
        if (waits_for_nobody && has_time()) {
            const auto begin = Clock::now();
            comparison = try_compare(candidate, request, decided, decide);
            spend(Clock::now() - begin);
        }
        count(candidate.hash(), comparison);
    } catch (...) { // no memory for what is only counted
    }
    return comparison;
}

std::optional<gate::Comparison> CandidateRuns::try_compare(const policy::Policy& candidate,
                                                           const model::JobRequest& request,
                                                           const model::Decision& decided,
                                                           const Decide& decide) {
    try {
        return gate::compare(request, decided, decide(), candidate);
    } catch (...) {
        return std::nullopt;
    }
}

void CandidateRuns::count(std::uint64_t policy, const std::optional<gate::Comparison>& comparison) {
    const std::scoped_lock lock(mutex_);
    if (counts_.policy != policy) counts_ = {.policy = policy};
    ++(comparison ? counts_.compared : counts_.skipped);
    if (comparison && comparison->differs()) ++counts_.differing;
}

bool CandidateRuns::has_time() const {
    return allowance_.has_some(everybody, Clock::now());
}

void CandidateRuns::spend(Clock::duration time) {
    allowance_.spend(everybody, time, Clock::now());
}

void CandidateRuns::skip(const policy::Policy& candidate) noexcept {
    try {
        count(candidate.hash(), std::nullopt);
    } catch (...) { // it is only counted
    }
}

CandidateCounts CandidateRuns::counts() const {
    const std::scoped_lock lock(mutex_);
    return counts_;
}

} // namespace qg::plugin
