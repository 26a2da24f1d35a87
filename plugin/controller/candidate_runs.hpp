// SPDX-License-Identifier: GPL-2.0-or-later
//
// CandidateRuns: decides a second time with the candidate policy, and compares. It changes nothing: not the
// job, not what the user reads, not the log.
//
//   const auto comparison = runs.compare(*candidate, request, decision, [&](const policy::Policy& other) {
//       return gate.decide(request, cluster, &other);
//   });
#pragma once

#include "host/time_allowance.hpp"
#include "qosgate/gate/decide/candidate_comparison.hpp"

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

namespace qg::plugin {

/// What came of the decisions since the candidate was loaded.
struct CandidateCounts {
    std::uint64_t policy = 0;    ///< the candidate's hash; 0: nothing was compared yet
    std::uint64_t compared = 0;  ///< decisions
    std::uint64_t differing = 0; ///< of these
    /// Not compared: no time or memory was left, another thread compared, or the job cannot be read.
    std::uint64_t skipped = 0;
};

/// Threads: safe.
class CandidateRuns {
  public:
    using Decide = std::function<model::Decision()>;

    /// Compares a decision with the candidate's. All candidates' decisions together may take as much of
    /// slurmctld's time as one user of TimeAllowance: 100 ms at once, and then a tenth of the time that
    /// passes. Beyond that, nothing is compared: empty. Nor is it if the candidate has a script and another
    /// thread compares with it: one call of a script runs at a time, and nobody waits for a candidate. Cost:
    /// `decide`.
    std::optional<gate::Comparison> compare(const policy::Policy& candidate, const model::JobRequest& request,
                                            const model::Decision& decided, const Decide& decide) noexcept;

    /// Whether compare() would compare now.
    [[nodiscard]] bool has_time() const;
    /// Something that a comparison needs took this long.
    void spend(TimeAllowance::Clock::duration time);
    /// A decision is not compared.
    void skip(const policy::Policy& candidate) noexcept;

    [[nodiscard]] CandidateCounts counts() const;

  private:
    /// Empty if that fails, for example for lack of memory.
    static std::optional<gate::Comparison> try_compare(const policy::Policy& candidate,
                                                       const model::JobRequest& request,
                                                       const model::Decision& decided, const Decide& decide);
    void count(std::uint64_t policy, const std::optional<gate::Comparison>& comparison);

    TimeAllowance allowance_; ///< one for all: the user is always 0
    std::mutex comparing_;    ///< held while a candidate with a script decides; only tried
    mutable std::mutex mutex_;
    CandidateCounts counts_; ///< guarded by mutex_
};

} // namespace qg::plugin
