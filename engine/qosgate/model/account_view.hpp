// SPDX-License-Identifier: GPL-2.0-or-later
//
// AccountView: everything that decides about one job, copied from wherever it is kept: the QOSs that it
// meets, its association chain, and what is in use. Plain values; safe to keep after the source's locks are
// dropped.
#pragma once

#include "qosgate/base/units.hpp"
#include "qosgate/model/limits.hpp"
#include "qosgate/model/partition.hpp"
#include "qosgate/model/tres.hpp"
#include "qosgate/model/usage.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace qg::model {

/// AccountingStorageEnforce, implied values written out (limits/README.md 2.4).
struct Enforce {
    bool associations = false;
    bool limits = false;
    bool qos = false;
    bool safe = false;
};

/// What PrivateData of slurm.conf hides from users.
struct PrivateData {
    bool accounts = false;     ///< limits and usage of accounts, and which there are
    bool partitions = false;   ///< partitions, all of them
    bool reservations = false; ///< reservations
};

/// The flags of a QOS that take part in a verdict (limits/README.md 8.2).
struct QosFlags {
    bool deny_on_limit = false;
    bool over_part_qos = false;
    bool usage_factor_safe = false;
    bool no_decay = false;
    bool partition_min_nodes = false;
    bool partition_max_nodes = false;
    bool partition_time_limit = false;
    bool enforce_usage_threshold = false;
    bool requires_reservation = false;
    bool relative = false;
};

/// A QOS with its limits and what is in use under it.
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

/// One link of the chain user -> account -> ... -> root. Max* limits are the effective (inherited) ones and
/// stand on the user level only.
struct Association {
    AssociationLevel level = AssociationLevel::user;
    std::string account;
    std::string user;      ///< empty above the user level
    std::string partition; ///< set on partition-specific associations
    Limits limits;
    Usage usage;
    bool is_hidden = false; ///< its limits and usage are, from whoever reads the answer
};

/// Why the QOS of a job is not one it can run under (limits/README.md 8.1), or `none`.
enum class QosProblem : std::uint8_t {
    none,
    unknown,               ///< no QOS of that name exists
    not_permitted,         ///< it exists, the association may not use it
    default_not_permitted, ///< none was asked for, and the default is not one the association may use
    requires_reservation,  ///< it wants --reservation, none was given
    relative_of_partition, ///< a Relative QOS that is a partition's QOS
    list_not_allowed,      ///< several names where this release takes one, or a list that ends with a comma
};

/// The QOS of the job, or why there is none.
struct QosChoice {
    /// Index into AccountView::qos; nothing: the job has no QOS, or the view leaves_room.
    std::optional<std::size_t> qos;
    std::optional<QosFlags> flags; ///< its flags; nothing: the job has no QOS
    std::vector<std::size_t> more; ///< the further ones of a list of QOSs, in the order slurmctld tries them
    std::string name;              ///< the name chosen or asked for
    bool is_default = false;       ///< the job asked for none
    QosProblem problem = QosProblem::none;
};

/// One partition the job may run in, and that partition's QOS.
struct PartitionChoice {
    std::shared_ptr<const Partition> partition; ///< never null
    std::optional<std::size_t> qos;             ///< index into AccountView::qos
    bool is_hidden = false; ///< whoever reads the answer may know its name, having typed it, and no more
};

struct AccountView {
    std::shared_ptr<const TresCatalogue> tres; ///< never null
    Enforce enforce;
    std::string user_name; ///< empty where accounting does not know the user
    std::string account;   ///< the account used: the one asked for, or the user's default
    std::vector<Qos> qos;  ///< the job's QOS and its partitions' QOSs, each once
    QosChoice job_qos;
    std::vector<PartitionChoice> partitions; ///< in the order slurmctld tries them
    std::vector<Association> associations;   ///< user first, root last; empty: no association
    /// Names, sorted; filled only when job_qos.problem is set, or when alternatives were asked for.
    std::vector<std::string> permitted_qos;
    /// The user's accounts, sorted; filled only when there is no association, or when alternatives were asked
    /// for. Of very many associations not all are looked at.
    std::vector<std::string> accounts;
    PrivateData hidden;                 ///< from whoever reads the answer
    bool reader_is_operator = false;    ///< nothing is hidden; known where something might be
    bool usage_lasts = false;           ///< on this cluster no use of the past decays or is reset
    bool requester_is_operator = false; ///< may change jobs past all limits; never at a submission
    /// The job's association and QOS will do, and all limits leave room for it: no limit, no usage and no QOS
    /// was copied, and of the associations the names, or nothing.
    bool leaves_room = false;
};

/// Makes a QOS of the view the job's.
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
