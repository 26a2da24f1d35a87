// SPDX-License-Identifier: GPL-2.0-or-later
//
// HetSetup: the components of a heterogeneous job, one after the other.
#pragma once

#include "support/gate_setup.hpp"

#include "qosgate/gate/predict/het_parts.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace qg::test {

/// `request` is the next component.
struct HetSetup : GateSetup {
    HetSetup() { request.is_het_part = true; }

    void ask_cpus(std::uint32_t count) { request.tasks = request.min_cpus = count; }
    /// QOS normal refuses (DenyOnLimit) what exceeds a limit.
    void deny_on_limit() { qos(0).flags.deny_on_limit = true; }
    /// Of QOS normal.
    void limit_cpus_per_user(std::uint64_t count) {
        qos(0).limits.set(model::TresLimit::max_tres_per_user, tres("cpu"), count);
    }

    /// Judges the next component.
    model::Decision decide_part(const policy::Policy* policy = nullptr) {
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        return gate::Gate(provider, release).decide(request, {&c, false}, policy, &parts);
    }
    /// What the user reads about it.
    std::vector<std::string> told(const policy::Policy* policy = nullptr) {
        return decide_part(policy).message;
    }

    gate::HetParts parts;
};

} // namespace qg::test
