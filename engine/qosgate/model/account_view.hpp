// SPDX-License-Identifier: GPL-2.0-or-later
//
// AccountView: a copy of everything that decides about one job: the QOSs that apply to it, its association
// chain, and the usage. Plain values; safe to keep after the source's locks are released.
#pragma once

#include "qosgate/base/units.hpp"
#include "qosgate/model/limits.hpp"
#include "qosgate/model/partition.hpp"
#include "qosgate/model/tres.hpp"
#include "qosgate/model/usage.hpp"

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace qg::model {

/// AccountingStorageEnforce, with the values that other values imply (limits/README.md 2.4).
struct Enforce {
    bool associations = false;
    bool limits = false;
    bool qos = false;
    bool safe = false;
};

/// What PrivateData of slurm.conf hides from users.
struct PrivateData {
    bool accounts = false;     ///< other users' accounts and limits
    bool usage = false;        ///< the usage of accounts and other users
    bool partitions = false;   ///< all partitions
    bool reservations = false; ///< reservations
    bool nodes = false;        ///< nodes

    friend bool operator==(const PrivateData&, const PrivateData&) = default;
};

/// The flags of a QOS that affect whether a job starts (limits/README.md 8.2). Rules read them all.
struct QosFlags {
    bool deny_on_limit = false;
    bool over_part_qos = false;
    bool usage_factor_safe = false;
    bool no_decay = false;
    bool partition_min_nodes = false;
    bool partition_max_nodes = false;
    bool partition_time_limit = false;
    bool enforce_usage_threshold = false; ///< only rules read it; the engine does not judge it
    bool requires_reservation = false;
    bool relative = false;
};

/// A QOS with its limits and its usage.
struct Qos {
    std::uint32_t id = 0;
    std::string name;
    std::uint32_t priority = 0;
    QosFlags flags;
    double usage_factor = 1.0;
    std::optional<double> limit_factor;
    Limits limits;
    Usage usage;         ///< of all its jobs
    Usage user_usage;    ///< of this job's user
    Usage account_usage; ///< of this job's account
};

enum class AssociationLevel : std::uint8_t { user, account, root };

/// One link of the chain user -> account -> ... -> root. Max* limits are the effective (inherited) ones; only
/// the user level has them.
struct Association {
    AssociationLevel level = AssociationLevel::user;
    std::string account;
    std::string user;      ///< empty above the user level
    std::string partition; ///< set on partition-specific associations
    Limits limits;
    Usage usage;
    // Hidden from the reader of the answer:
    bool hides_limits = false; ///< and its name
    bool hides_usage = false;
};

/// An account in which a user has an association.
struct UserAccount {
    std::string name;
    std::string partition; ///< the only one where it is usable; empty: it is usable in all

    friend auto operator<=>(const UserAccount&, const UserAccount&) = default;
};

/// Why a job cannot run under its QOS (limits/README.md 8.1), or `none`.
enum class QosProblem : std::uint8_t {
    none,
    unknown,               ///< no QOS of that name exists
    not_permitted,         ///< it exists, but the association may not use it
    default_not_permitted, ///< none was requested, and the association may not use the default
    requires_reservation,  ///< it requires --reservation, and none was given
    relative_of_partition, ///< a Relative QOS that is a partition's QOS
    kept_not_permitted,    ///< not_permitted, and a change leaves the job that QOS: it waits
    list_not_allowed,      ///< several names, but this release takes one; or a list that ends with a comma
};

/// The job's QOS, or why it has none.
struct QosChoice {
    /// Index into AccountView::qos; empty: the job has no QOS, or the view is_within_limits.
    std::optional<std::size_t> qos;
    std::optional<QosFlags> flags;         ///< its flags; empty: the job has no QOS
    std::vector<std::size_t> alternatives; ///< the other QOSs of a list, in the order slurmctld tries them
    std::string name;                      ///< the chosen or requested name
    bool is_default = false;               ///< the job requested none
    QosProblem problem = QosProblem::none;
};

/// One partition the job may run in, and that partition's QOS.
struct PartitionChoice {
    std::shared_ptr<const Partition> partition; ///< never null
    std::optional<std::size_t> qos;             ///< index into AccountView::qos
    bool is_hidden = false; ///< the reader of the answer may know only its name, because they typed it
};

struct AccountView {
    std::shared_ptr<const TresCatalogue> tres; ///< never null
    Enforce enforce;
    std::string user_name; ///< empty: accounting does not know the user
    std::string account;   ///< the requested account, or the user's default
    std::vector<Qos> qos;  ///< the job's QOS and its partitions' QOSs, each once
    QosChoice job_qos;
    std::vector<PartitionChoice> partitions; ///< in the order slurmctld tries them
    std::vector<Association> associations;   ///< user first, root last; empty: no association
    /// The first partition for which the user has another association than for partitions.front(); empty:
    /// none, or no association.
    std::optional<std::size_t> differing_partition;
    /// Names, sorted; filled only if job_qos.problem is set or alternatives were requested.
    std::vector<std::string> permitted_qos;
    /// The accounts that the user can use in partitions.front(), sorted; filled only if there is no
    /// association or alternatives were requested. If there are very many associations, only some of them are
    /// read.
    std::vector<std::string> accounts;
    /// The user's other accounts, sorted: each is for another partition. Filled as `accounts`.
    std::vector<UserAccount> accounts_of_partitions;
    // What a job that requests none gets; filled only if alternatives were requested.
    std::string default_qos;
    std::string default_account;
    PrivateData hidden;                 ///< from the reader of the answer
    bool reader_is_operator = false;    ///< nothing is hidden; known only if something might be hidden
    bool usage_lasts = false;           ///< on this cluster, past usage neither decays nor is reset
    bool requester_is_operator = false; ///< may exceed all limits when changing a job; never at a submission
    /// Nothing prevents the job: its association and QOS are valid, and it certainly fits all limits. In this
    /// case limits, usage and QOSs were not copied, and of the associations at most the names.
    bool is_within_limits = false;
};

/// Sets the job's QOS to one of the view.
inline void set_job_qos(AccountView& view, std::size_t index) {
    view.job_qos.qos = index;
    view.job_qos.flags = view.qos[index].flags;
    view.job_qos.name = view.qos[index].name;
}

/// The flags of the job's QOS; none without a QOS.
[[nodiscard]] inline QosFlags job_qos_flags(const AccountView& view) noexcept {
    return view.job_qos.flags.value_or(QosFlags{});
}

} // namespace qg::model
