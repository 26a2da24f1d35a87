// SPDX-License-Identifier: GPL-2.0-or-later
//
// Gate::decide: the way of one job (request in, decision out). No file, socket, RPC, lock or clock of its
// own; what it asks of the QuotaProvider is all it learns.
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/decision.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/quota/provider.hpp"

namespace qg::gate {

/// Decides about jobs.
///
///   const Gate gate(provider, limits::Release::parse("22.05"));
///   model::Decision answer = gate.decide(request, cluster, policy);
///
/// Ownership: the provider outlives the gate.
/// Threads: decide() may run on several threads at once, as far as the provider may.
class Gate {
  public:
    Gate(const quota::QuotaProvider& provider, limits::Release release)
        : provider_(provider), release_(release) {}

    /// The decision about a new job. `cluster` may be null (not known yet): then limits are not judged, rules
    /// still run. `policy` may be null: no rules, level explain.
    [[nodiscard]] model::Decision decide(model::JobRequest request, const model::Cluster* cluster,
                                         const policy::Policy* policy) const;

    /// The decision about a change of an existing job: `request` is the job as it would be after the change.
    /// Only QOS, account and partition are judged (limits.md 3.9); rules do not run.
    [[nodiscard]] model::Decision decide_update(model::JobRequest request, const model::Cluster* cluster,
                                                const policy::Policy* policy) const;

  private:
    const quota::QuotaProvider& provider_;
    limits::Release release_;
};

} // namespace qg::gate
