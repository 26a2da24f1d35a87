// SPDX-License-Identifier: GPL-2.0-or-later
//
// QosUse: the limits of a QOS against what is used of them, by all jobs, by account and by user.
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/limits/set_limit.hpp"
#include "qosgate/model/limit_facts.hpp"
#include "qosgate/quota/local_quota.hpp"
#include "qosgate/report/user_world.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace qg::report {

using limits::SetLimit;

/// What jobs that count together use.
struct ScopeUse {
    model::LimitScope scope = model::LimitScope::group; ///< group, account, user; job: each by itself
    std::string name = {};                              ///< of the account or the user
    std::uint64_t running = 0;
    std::uint64_t pending = 0; ///< tasks of arrays singly
    std::vector<SetLimit> limits = {};
};

struct QosUse {
    std::string name;
    std::uint32_t priority = 0;
    ScopeUse all;
    std::vector<ScopeUse> accounts; ///< that have jobs, by name
    std::vector<ScopeUse> users;    ///< the same
    ScopeUse job;                   ///< limits on each job

    /// Each limit of the QOS once, with the account or user that uses most of it; the fullest first.
    struct Fullest {
        const ScopeUse* who;
        SetLimit limit;
    };
    [[nodiscard]] std::vector<Fullest> fullest() const;
};

/// Whether slurmctld counts what a limit of a QOS is compared with.
bool is_counted(const model::LimitFacts& facts, limits::Release release);

/// `name_of` gives the name of a user.
QosUse find_use(const quota::LocalQos& qos, const model::TresCatalogue& tres, limits::Release release,
                const std::function<std::string(std::uint32_t)>& name_of);

/// Who asks, and which names PrivateData lets them see.
struct Viewer {
    std::string name;         ///< of the user
    bool sees_use = true;     ///< which accounts and users use what; else only their own use
    bool sees_members = true; ///< who may use what; else only their own and those they coordinate

    [[nodiscard]] bool sees(const ScopeUse& use) const {
        return sees_use || (use.scope == model::LimitScope::user && use.name == name);
    }
};

/// Of this user.
Viewer make_viewer(const UserWorld& world, std::uint32_t user_id);

} // namespace qg::report
