// SPDX-License-Identifier: GPL-2.0-or-later
//
// AssociationStore: reads the tree of associations, and changes which QOSs they may use. Writes belong into a
// Transaction on the same connection, and are read back before they count as done.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/association_record.hpp"
#include "qosgate/slurmdb/association_tree.hpp"
#include "qosgate/slurmdb/connection.hpp"
#include "qosgate/slurmdb/qos_plan.hpp"

#include <span>
#include <string>
#include <vector>

namespace qg::slurmdb {

/// Threads: those of its connection.
class AssociationStore {
  public:
    /// The associations of one cluster. The connection must outlive the store.
    AssociationStore(Connection& connection, std::string cluster);

    /// The same store as seen from another connection, which must outlive it.
    [[nodiscard]] AssociationStore on(Connection& other) const { return {other, cluster_}; }

    /// The whole tree: accounts before their users, sorted by name. `all` are the QOSs, for their names; one
    /// that was deleted is left out. To others than operators slurmdbd may show less (PrivateData=users).
    /// Errors: as Connection::ask().
    Result<std::vector<model::AssociationRecord>> read_all(std::span<const StoredQos> all);

    /// Writes the changes, equal ones in one call, and reads them back. `all` are the QOSs as they are within
    /// the transaction, new ones included. See AssociationTree::plan() for what slurmdbd cannot store.
    /// slurmdbd takes no default QOS that is not committed yet.
    /// Errors: not_found (an association or QOS), permission_denied, unavailable, conflict (slurmdbd did not
    /// store the requested values), invalid_input (a default QOS that the association may not use).
    Result<void> write(std::span<const model::AccessChange> changes, std::span<const StoredQos> all);

    /// Tells slurmctld once more what the changes made, where it may have heard of them in the wrong order
    /// (slurm/README.md 4.5), see depends_on_order(). Belongs into a transaction after the one that made
    /// them. Errors: those of write().
    Result<void> repeat(std::span<const model::AccessChange> changes, std::span<const StoredQos> all);

    /// Tells slurmctld what users of accounts below the changed ones inherit, where slurmdbd does not
    /// (AssociationTree::tell_below()); else nothing. Belongs behind write() or into a later transaction.
    /// Errors: those of write().
    Result<void> tell_below(std::span<const model::AccessChange> changes, std::span<const StoredQos> all);

    /// The same as write() without writing. Errors: not_found, invalid_input, unavailable.
    Result<void> check(std::span<const model::AccessChange> changes, std::span<const StoredQos> all);

    /// QOSs among an association's differences to the list above, and the associations.
    struct Buried {
        std::vector<std::string> qos;
        std::vector<std::uint32_t> associations;
    };

    /// A workaround for slurmdbd before 24.05 (slurm/README.md 4.5): those of the QOSs that associations have
    /// as "not" among other differences to the list above. Before such a one is removed, put_last() is
    /// needed, and no other may be removed in the same call; when all are removed, end_lists() is.
    Result<Buried> find_buried(const model::NameSet& names, std::span<const StoredQos> all);

    /// Writes "not this QOS" anew where it is stored, which puts it last.
    Result<void> put_last(const std::string& name, std::span<const StoredQos> all);

    /// Ends the associations' lists of differences with the comma that a removed QOS took with it.
    Result<void> end_lists(std::span<const std::uint32_t> associations, std::span<const StoredQos> all);

    /// The tree as slurmdbd stores it, to plan changes with. Errors: as Connection::ask().
    Result<AssociationTree> read_tree(std::span<const StoredQos> all);

  private:
    Result<void> modify_all(std::span<const AccessWrite> writes, std::span<const StoredQos> all);
    Result<void> modify(const AccessWrite& write, std::span<const StoredQos> all);

    Connection* connection_;
    std::string cluster_;
};

} // namespace qg::slurmdb
