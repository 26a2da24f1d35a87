// SPDX-License-Identifier: GPL-2.0-or-later
//
// The nearest request that slurmctld would accept and could start: as little changed as possible. It stands
// beside the forecast, because a proposal is proved by looking ahead at it.
#pragma once

#include "qosgate/gate/forecast.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/quota/provider.hpp"

#include <optional>

namespace qg::gate {

/// How the site's rules made the request.
struct RulesRun {
    const model::JobRequest& submitted;
    const policy::Policy& policy;
    bool has_failures = false;
};

/// Everything the judging of one request reads.
/// Ownership: borrows all of it.
struct Case {
    const Resolved& resolved;
    const model::JobRequest& request;
    const model::Cluster& cluster;
    const quota::QuotaProvider& provider;
    limits::Release release;
    const RulesRun* rules = nullptr; ///< null: the site has none
    bool may_suggest = true;         ///< false: something else is wrong, too, and a suggestion would not help
};

/// The request changed so that it is accepted and waits for no limit and no rule of a partition for good.
/// Nothing if none was found. `outlook` is what stands in the way of the request, looked for with
/// `strictness`.
/// Cost: looks ahead a few dozen times at most; only for jobs that something is wrong with.
/// Threads: those of the provider.
std::optional<model::JobRequest> find_nearest(const Outlook& outlook, const Case& at,
                                              limits::Strictness strictness);

} // namespace qg::gate
