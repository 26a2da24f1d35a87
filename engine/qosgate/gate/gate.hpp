// SPDX-License-Identifier: GPL-2.0-or-later
//
// Gate::decide: the whole decision about one job (request in, decision out). It uses no file, socket, RPC,
// lock or clock of its own; everything it needs comes from its arguments and the QuotaProvider.
#pragma once

#include "qosgate/gate/known_cluster.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/model/decision.hpp"
#include "qosgate/model/job_update.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/quota/provider.hpp"

#include <cstdint>

namespace qg::gate {

class HetParts;

/// What a decision about a new job tells beside the verdict and what rules did.
enum class AnswerExtent : std::uint8_t {
    whole,
    verdict, ///< not why limits refuse a job or let it wait, and no advice: for programs that show no words
};

/// Decides about jobs.
///
///   const Gate gate(provider, limits::Release{22, 5});
///   model::Decision decision = gate.decide(request, cluster, policy);
///
/// Ownership: the provider outlives the gate.
/// Threads: decide() and decide_update() are as thread-safe as the provider.
class Gate {
  public:
    Gate(const quota::QuotaProvider& provider, limits::Release release,
         AnswerExtent extent = AnswerExtent::whole)
        : provider_(provider), release_(release), extent_(extent) {}

    /// Decides about a new job. If the cluster is unknown or may have changed, partitions and limits are not
    /// judged; rules still run, and fail if they read a default that is not known. In level `enforce` no job
    /// passes unchecked meanwhile. While the cluster is unknown, every job except an operator's gets
    /// `try_again`. While it may have changed, only jobs that the old partitions would refuse get it.
    /// `policy` may be null: no rules, level explain. `parts` are the parts of the same heterogeneous job
    /// that were decided before, and this one is added to them; null for an ordinary job, or if they are not
    /// known.
    [[nodiscard]] model::Decision decide(const model::JobRequest& request, KnownCluster known,
                                         const policy::Policy* policy, HetParts* parts = nullptr) const;

    /// Decides about a change of a job (limits/README.md 9). slurmctld refuses a change because of limits
    /// only if QOS, account or partition change and the job kept the limits before, and never for an
    /// operator. The user also hears what keeps the job pending after the change but not before. A value that
    /// an operator set above a limit earlier counts like any other value. Rules run over the job after the
    /// change, whoever makes it, if they look at what it sets. They may reject the change, but fields that
    /// they set are not applied. They also run over each part of the change that slurmctld may keep while it
    /// refuses the rest, within the time of one job. Limits are judged if the change sets something that they
    /// depend on.
    [[nodiscard]] model::Decision decide_update(model::JobUpdate update, KnownCluster known,
                                                const policy::Policy* policy) const;

  private:
    const quota::QuotaProvider& provider_;
    limits::Release release_;
    AnswerExtent extent_;
};

} // namespace qg::gate
