// SPDX-License-Identifier: GPL-2.0-or-later
//
// AssociationManager: who may use which QOSs.
#pragma once

#include "qosgate/admin/client.hpp"
#include "qosgate/base/result.hpp"
#include "qosgate/model/association_record.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace qg::admin {

/// Whose access is changed: a user's in an account; without an account, in all of the user's accounts;
/// without a user, the account's.
struct Holder {
    enum class Reach : std::uint8_t {
        alone, ///< users and accounts below have it from the account, unless they have lists of their own
        tree,  ///< the account and all below it, each by itself
    };

    std::string account = {}; ///< in any case
    std::string user = {};
    std::string partition = {}; ///< of a user; empty: the association for all partitions
    Reach reach = Reach::alone;
};

/// Threads: those of its client.
class AssociationManager {
  public:
    /// The client must outlive the manager.
    explicit AssociationManager(Client& client) : client_(&client) {}

    /// All associations of the cluster: accounts before their users, sorted by name.
    /// Errors: as Connection::ask().
    Result<std::vector<model::AssociationRecord>> tree();

    /// The holders may use these QOSs from now on. Returns what was changed, one entry per association; no
    /// entry for those that might already. All holders get it, or none.
    /// Errors: not_found (a QOS, account or user), those of AssociationStore::write() and commit_changes().
    Result<std::vector<model::AccessChange>> grant(const std::vector<Holder>& holders,
                                                   const model::NameSet& qos);

    /// The holders may not use these QOSs any more. Users with lists of their own keep them, unless the reach
    /// is `tree`. Errors: those of grant(), also for a QOS that nobody has; invalid_input (somebody's default
    /// QOS).
    Result<std::vector<model::AccessChange>> revoke(const std::vector<Holder>& holders,
                                                    const model::NameSet& qos);

    /// Sets the default QOS; an empty name clears it, so that the one of the account above counts.
    /// Errors: those of grant(), invalid_input (a QOS that a holder may not use).
    Result<std::vector<model::AccessChange>> set_default(const std::vector<Holder>& holders,
                                                         const std::string& qos);

    /// All three at once. `change` has no name; the holders' are used.
    /// Errors: those of grant(), revoke() and set_default(); invalid_input (a QOS in both `granted` and
    /// `revoked`).
    Result<std::vector<model::AccessChange>> change(const std::vector<Holder>& holders,
                                                    const model::AccessChange& change);

  private:
    Client* client_;
};

} // namespace qg::admin
