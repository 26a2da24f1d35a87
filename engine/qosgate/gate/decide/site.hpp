// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is the same for all jobs: what is known about the cluster, and the site's settings and rules.
#pragma once

#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/gate.hpp"
#include "qosgate/policy/policy.hpp"

namespace qg::gate {

/// Ownership: borrows.
struct Site {
    KnownCluster known;
    const policy::Policy* policy; ///< null: no rules, level explain
    ClusterContext context;
    AnswerExtent extent;

    Site(KnownCluster known_cluster, const policy::Policy* policy_in_force,
         const quota::QuotaProvider& provider, limits::Release release,
         AnswerExtent extent_of_answers = AnswerExtent::whole)
        : known(known_cluster),
          policy(policy_in_force), context{known.cluster ? *known.cluster : no_cluster(), provider, release,
                                           known},
          extent(extent_of_answers) {}

    [[nodiscard]] const policy::Settings& settings() const {
        static const policy::Settings defaults;
        return policy ? policy->settings() : defaults;
    }
    /// `parts` are what a change sets.
    [[nodiscard]] bool has_rules_at(policy::JobEvent event,
                                    model::UpdateParts parts = model::UpdateParts::all()) const {
        return policy != nullptr && policy->has_rules_at(event, parts);
    }

    /// Whether the gate judges limits. It needs the current partitions for that, because a partition QOS
    /// overrides limits of all other owners.
    [[nodiscard]] bool judges_limits() const {
        return known.cluster != nullptr && !known.may_have_changed && settings().limits != policy::Level::off;
    }
    /// Whether this sender must submit requests again, so that their limits can be enforced.
    [[nodiscard]] bool must_wait(std::uint32_t sender) const {
        return known.cluster == nullptr && settings().limits == policy::Level::enforce &&
               !context.provider.is_operator(sender);
    }
    /// Whether limits are enforced, but the partitions may have changed. The old ones then show which jobs
    /// must be submitted again; none is refused because of them.
    [[nodiscard]] bool enforces_later() const {
        return known.cluster != nullptr && known.may_have_changed &&
               settings().limits == policy::Level::enforce;
    }
    /// The same site, as if nothing had changed.
    [[nodiscard]] Site as_it_was() const {
        Site old = *this;
        old.known.may_have_changed = false;
        return old;
    }
    /// Whether the gate rejects jobs because of limits.
    [[nodiscard]] bool enforces_limits() const {
        return judges_limits() && settings().limits == policy::Level::enforce;
    }

  private:
    static const model::Cluster& no_cluster() {
        static const model::Cluster none;
        return none;
    }
};

} // namespace qg::gate
