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

/// A change of an existing job.
struct JobUpdate {
    std::uint32_t job_id = 0; ///< 0: not known
    model::JobRequest before; ///< the job as it is
    model::JobRequest after;  ///< as it would be; its `submit_uid` is who changes it
    bool names_qos = false;   ///< whether the change speaks of the QOS, be it the one the job has
    bool names_time = false;  ///< the same of the time limit
};

/// The cluster as far as it is known.
/// Ownership: borrows.
struct KnownCluster {
    // Not explicit: a cluster that nobody changes meanwhile is known.
    KnownCluster(const model::Cluster* known, bool may_differ = false) noexcept
        : cluster(known), may_have_changed(may_differ) {}

    const model::Cluster* cluster; ///< null: nothing is known yet
    bool may_have_changed;         ///< slurmctld may have changed its partitions since
};

class HetParts;

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

    /// The decision about a new job. Where the cluster is not known as it is now, partitions and limits are
    /// not judged; rules still run, and fail where they read a default that nobody knows yet. `policy` may be
    /// null: no rules, level explain. `parts` are those of the same heterogeneous job that were decided
    /// before; this one joins them. Null: not known, or an ordinary job.
    [[nodiscard]] model::Decision decide(const model::JobRequest& request, KnownCluster known,
                                         const policy::Policy* policy, HetParts* parts = nullptr) const;

    /// The decision about a change of a job (limits/README.md 9). slurmctld refuses for limits only where
    /// QOS, account or partition change, never an operator, and never where the job broke limits before.
    /// Besides that, the user hears what holds the job back after the change and did not before. What an
    /// operator set earlier, past a limit, looks like any other value here. Rules run over the job as it
    /// would be, whoever changes it, and may reject the change; what they write is not applied.
    [[nodiscard]] model::Decision decide_update(JobUpdate update, KnownCluster known,
                                                const policy::Policy* policy) const;

  private:
    const quota::QuotaProvider& provider_;
    limits::Release release_;
};

} // namespace qg::gate
