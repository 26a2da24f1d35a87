// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/qos_uses.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/association_tree.hpp"
#include "qosgate/slurmdb/controller_state.hpp"

#include <algorithm>
#include <array>

namespace qg::slurmdb {
namespace {

bool has_in_list(const slurmdb_assoc_rec_t& association, std::uint32_t id) {
    bool found = false;
    slurm::for_each<const char>(association.qos_list, [&](const char& digits) {
        found = found || text::parse_unsigned(std::string_view(&digits)) == id;
    });
    return found;
}

bool has_as_default(const slurmdb_assoc_rec_t& association, std::uint32_t id) {
    return association.def_qos_id == id;
}

constexpr QosUseKind in_association_list{
    "association",
    "{} may use it",
    slurm::removes_qos_from_associations,
    slurm::removes_qos_from_associations
        ? "slurmdbd takes it out of the associations' lists of QOSs"
        : "slurmdbd before 24.05 would damage the associations' lists of QOSs",
    "qos-={qos}",
};
constexpr QosUseKind association_default{
    "default",       "{} has it as default", false, "slurmdbd would leave a default that does not exist",
    "defaultqos=-1",
};
constexpr QosUseKind by_preempt{
    "preempt",
    "QOS {} may preempt its jobs",
    true,
    "it is taken out of their Preempt",
    "qosgate qos update {by} Preempt-={qos}",
};
constexpr QosUseKind by_job{
    "job",
    "job {} asks for it",
    true,
    "pending jobs never start (Reason InvalidQOS), running jobs continue",
    "scancel --qos={qos}  # or, for jobs that have not started: scontrol update JobId=... QOS=...",
};
constexpr QosUseKind partition_qos{
    "partition_qos",
    "partition {} has it as its QOS",
    true,
    "SLURMCTLD ENDS at the next 'scontrol reconfigure' AND DOES NOT START AGAIN until slurm.conf gives these "
    "partitions another QOS",
    "# slurm.conf: take QOS={qos} from the partitions {by}; then: scontrol reconfigure",
};
constexpr QosUseKind partition_list{
    "partition_list",
    "partition {} has it in AllowQos or DenyQos",
    true,
    "the partitions' lists name a QOS that nobody can have; SLURMCTLD 25.11 AND LATER DOES NOT START AGAIN "
    "until slurm.conf no longer names it",
    "# slurm.conf: take {qos} from AllowQos and DenyQos of the partitions {by}; then: scontrol reconfigure",
};

/// slurmdbd creates this QOS and gives it to every new cluster.
constexpr std::string_view protected_name = "normal";
constexpr QosUseKind new_clusters{
    "new_clusters",
    "slurmdbd gives it to each new {}",
    true,
    "new clusters get a QOS that does not exist",
};

model::AssociationName name_of(const slurmdb_assoc_rec_t& association) {
    const auto part = [](const char* text) { return std::string(text == nullptr ? "" : text); };
    return {.cluster = part(association.cluster),
            .account = part(association.acct),
            .user = part(association.user),
            .partition = part(association.partition)};
}

/// How an association can have a QOS.
struct AssociationUse {
    slurm::ListHandle slurmdb_assoc_cond_t::*condition; ///< takes QOS ids; null: slurmdbd is asked for all
    bool (*has)(const slurmdb_assoc_rec_t& association, std::uint32_t id);
    const QosUseKind& kind;
};
constexpr std::array<AssociationUse, 2> association_uses{{
    // sacctmgr takes no QOS from an association that has it as its default.
    {&slurmdb_assoc_cond_t::def_qos_id_list, has_as_default, association_default},
    {slurm::finds_associations_by_qos ? &slurmdb_assoc_cond_t::qos_list : nullptr, has_in_list,
     in_association_list},
}};

/// The associations that use one of the `targets`, and maybe others, with or without what they have from
/// accounts above.
Result<slurm::OwnedList> read_associations(Connection& connection, const AssociationUse& kind,
                                           std::span<const StoredQos* const> targets, bool own_only) {
    std::vector<std::string> id_texts;
    for (const StoredQos* qos : targets)
        id_texts.push_back(std::to_string(qos->id));
    const slurm::OwnedList ids = slurm::make_borrowing_list();
    for (std::string& id : id_texts)
        slurm::append(ids, id.data());
    slurmdb_assoc_cond_t condition{};
    if (kind.condition != nullptr) condition.*kind.condition = ids.get();
    if (own_only) slurm::leave_out_inherited(condition);
    return connection.ask("read the associations",
                          [&](void* handle) { return slurmdb_associations_get(handle, &condition); });
}

/// The uses of `targets` by associations, one per QOS, in two queries.
Result<std::vector<QosUse>> associations_with(Connection& connection, const AssociationUse& kind,
                                              std::span<const StoredQos* const> targets) {
    const auto all = read_associations(connection, kind, targets, /*own_only=*/false);
    if (!all) return all.error();
    std::vector<QosUse> uses;
    for (const StoredQos* qos : targets) {
        QosUse& use = uses.emplace_back(QosUse{qos->record.name, &kind.kind, {}});
        slurm::for_each<slurmdb_assoc_rec_t>(all->get(), [&](const slurmdb_assoc_rec_t& association) {
            if (kind.has(association, qos->id)) use.used_by.push_back(describe(name_of(association)));
        });
    }
    if (std::ranges::all_of(uses, [](const QosUse& use) { return use.used_by.empty(); })) return uses;
    const auto own = read_associations(connection, kind, targets, /*own_only=*/true);
    if (!own) return own.error();
    for (std::size_t i = 0; i < uses.size(); ++i) {
        slurm::for_each<slurmdb_assoc_rec_t>(own->get(), [&](const slurmdb_assoc_rec_t& association) {
            if (kind.has(association, targets[i]->id)) uses[i].holders.push_back(name_of(association));
        });
        std::ranges::stable_partition(uses[i].holders,
                                      [](const model::AssociationName& name) { return name.user.empty(); });
    }
    return uses;
}

/// Whether a comma-separated list of QOS names, as Slurm writes them, has `name`.
QosUse jobs_with(const ControllerState& controller, const std::string& qos) {
    QosUse use{qos, &by_job, {}};
    for (std::uint32_t i = 0; i < controller.jobs->record_count; ++i) {
        const slurm_job_info_t& job = controller.jobs->job_array[i];
        if (!is_over(job) && names_qos(job.qos, qos))
            use.used_by.push_back(std::to_string(slurm::job_id_of(job)));
    }
    return use;
}

/// The partitions for which `uses` is true.
template <typename Uses>
QosUse partitions_with(const ControllerState& controller, const std::string& qos, const QosUseKind& kind,
                       Uses uses) {
    QosUse use{qos, &kind, {}};
    for (std::uint32_t i = 0; i < controller.partitions->record_count; ++i) {
        const partition_info_t& partition = controller.partitions->partition_array[i];
        if (uses(partition)) use.used_by.emplace_back(partition.name == nullptr ? "" : partition.name);
    }
    return use;
}

QosUse preempted_by(std::span<const StoredQos> all, std::span<const std::string> leaving,
                    const std::string& qos) {
    QosUse use{qos, &by_preempt, {}};
    for (const StoredQos& other : all) {
        const bool leaves = std::find(leaving.begin(), leaving.end(), other.record.name) != leaving.end();
        if (!leaves && other.record.preempt.contains(qos)) use.used_by.push_back(other.record.name);
    }
    return use;
}

} // namespace

std::string describe_use(const QosUse& use, std::string_view used_by) {
    std::string line(use.kind->text);
    line.replace(line.find("{}"), 2, text::printable(used_by));
    return line;
}

Result<QosUses> find_uses(Connection& connection, std::span<const StoredQos> all,
                          std::span<const std::string> names) {
    std::vector<const StoredQos*> targets;
    for (const std::string& name : names) {
        const StoredQos* qos = find_qos(all, name);
        if (qos == nullptr) return unknown_qos(all, name);
        targets.push_back(qos);
    }
    QosUses uses;
    const auto note = [&](QosUse use) {
        if (!use.used_by.empty()) uses.found.push_back(std::move(use));
    };
    for (const AssociationUse& kind : association_uses) {
        auto found = associations_with(connection, kind, targets);
        if (!found) return found.error();
        for (QosUse& use : *found)
            note(std::move(use));
    }
    const ControllerState controller = ControllerState::load(connection.session());
    uses.slurmctld_failure = controller.failure;
    for (const std::string& name : names) {
        if (text::iequals(name, protected_name)) note({name, &new_clusters, {"cluster"}});
        note(preempted_by(all, names, name));
        if (!controller.failure.empty()) continue;
        note(jobs_with(controller, name));
        note(partitions_with(controller, name, partition_qos, [&](const partition_info_t& partition) {
            return names_qos(partition.qos_char, name);
        }));
        note(partitions_with(controller, name, partition_list, [&](const partition_info_t& partition) {
            return names_qos(partition.allow_qos, name) || names_qos(partition.deny_qos, name);
        }));
    }
    return uses;
}

} // namespace qg::slurmdb
