// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the tests of `qosgate exporter` share: a small cluster, what is served of it, and a look into that.
#pragma once

#include "exporter/exporter_metrics.hpp"
#include "exporter/exporter_page.hpp"

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>

namespace qg::test {

using model::CountLimit;
using model::TresLimit;

inline constexpr std::time_t now = 1'000'000;
inline constexpr std::size_t cpu = 0;
inline constexpr std::size_t mem = 1;

inline model::Usage usage(std::uint64_t cpus, std::uint64_t mib = 0, std::uint64_t jobs = 0) {
    model::Usage made;
    made.tres = {cpus, mib};
    made.jobs = jobs;
    return made;
}

/// QOS gold: 8 CPUs and 4 GiB of all, 6 CPUs per user, 60 minutes per job; ana (1) of astro has 5, ben (2) of
/// bio 2.
inline cli::ClusterState gold() {
    cli::ClusterState state;
    state.cluster = "c1";
    state.read_at = now;
    state.sees_all = true;
    quota::LocalQos qos;
    qos.qos.name = "gold";
    qos.qos.limits = model::Limits(state.records.tres->size());
    qos.qos.limits.set(TresLimit::grp_tres, cpu, 8);
    qos.qos.limits.set(TresLimit::grp_tres, mem, 4096);
    qos.qos.limits.set(TresLimit::max_tres_per_user, cpu, 6);
    qos.qos.limits.set(CountLimit::max_wall, 60);
    qos.qos.limits.set(CountLimit::grp_jobs, 0);
    qos.qos.usage = usage(7, 1024, 2);
    qos.users = {{1, usage(5)}, {2, usage(2)}};
    qos.accounts = {{"astro", usage(5)}, {"bio", usage(2)}};
    state.records.qos.push_back(qos);
    quota::LocalAssociation lab;
    lab.link.level = model::AssociationLevel::account;
    lab.link.account = "lab";
    lab.link.limits = model::Limits(state.records.tres->size());
    lab.link.limits.set(TresLimit::grp_tres, cpu, 10);
    lab.link.limits.set(CountLimit::max_jobs, 3);
    lab.link.usage = usage(7);
    state.records.associations.push_back(lab);
    state.users = {{1, "ana"}, {2, "ben"}};
    state.queued["gold"] = {.running = 2, .pending = 3};
    state.pending[{"gold", "QOSGrpCpuLimit"}] = 3;
    return state;
}

inline std::string metrics_of(const cli::ClusterState& state, std::size_t users = 0) {
    return cli::make_metrics(&state, nullptr, {}, users, now);
}

inline std::string page_of(const cli::ClusterState& state, bool names_users = false) {
    return cli::make_page(&state, "", nullptr, {.names_users = names_users}, now);
}

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

} // namespace qg::test
