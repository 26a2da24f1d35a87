// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/qos_uses.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

namespace qg::slurmdb {
namespace {

/// How an association can have a QOS.
struct AssociationUse {
    slurm::ListHandle slurmdb_assoc_cond_t::*condition; ///< takes QOS ids
    bool (*has)(const slurmdb_assoc_rec_t& association, std::uint32_t id);
    std::string_view what;
    std::string_view bar;
};

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

constexpr std::string_view no_bar;
constexpr std::array<AssociationUse, 2> association_uses{{
    {&slurmdb_assoc_cond_t::qos_list, has_in_list, "associations",
     slurm::removes_qos_from_associations ? no_bar
                                          : "slurmdbd before 24.05 would damage their lists of QOSs; take it "
                                            "out of them first, with 'sacctmgr "
                                            "modify account' or 'user' and 'set qos-='"},
    {&slurmdb_assoc_cond_t::def_qos_id_list, has_as_default, "associations as their default",
     "slurmdbd would leave them with a default that does not exist; give them another first, with 'set "
     "defaultqos='"},
}};

std::string in_words(const slurmdb_assoc_rec_t& association) {
    const auto part = [](const char* text) {
        return text == nullptr ? std::string_view() : std::string_view(text);
    };
    std::string words;
    if (!part(association.user).empty()) words += text::format("user {} in ", part(association.user));
    words += text::format("account {}", part(association.acct));
    if (!part(association.partition).empty())
        words += text::format(", partition {}", part(association.partition));
    return words + text::format(" of cluster {}", part(association.cluster));
}

/// The uses of `targets` by associations, one per QOS, in one query.
Result<std::vector<QosUse>> associations_with(Connection& connection, const AssociationUse& kind,
                                              std::span<const StoredQos* const> targets) {
    std::vector<std::string> id_texts;
    for (const StoredQos* qos : targets)
        id_texts.push_back(std::to_string(qos->id));
    const slurm::OwnedList ids = slurm::make_borrowing_list();
    for (std::string& id : id_texts)
        slurm::append(ids, id.data());
    slurmdb_assoc_cond_t condition{};
    condition.*kind.condition = ids.get();
    const auto list = connection.ask(
        "read the associations", [&](void* handle) { return slurmdb_associations_get(handle, &condition); });
    if (!list) return list.error();
    std::vector<QosUse> uses;
    for (const StoredQos* qos : targets) {
        QosUse& use =
            uses.emplace_back(QosUse{qos->record.name, std::string(kind.what), {}, std::string(kind.bar)});
        slurm::for_each<slurmdb_assoc_rec_t>(list->get(), [&](const slurmdb_assoc_rec_t& association) {
            if (kind.has(association, qos->id)) use.by_whom.push_back(in_words(association));
        });
    }
    return uses;
}

/// Whether a comma-separated list of QOS names, as Slurm writes them, has `name`.
bool names_qos(const char* list, std::string_view name) {
    if (list == nullptr) return false;
    const auto names = text::split(list, ',');
    return std::any_of(names.begin(), names.end(), [&](auto other) { return text::iequals(other, name); });
}

bool is_over(const slurm_job_info_t& job) {
    return (job.job_state & JOB_STATE_BASE) >= JOB_COMPLETE && (job.job_state & JOB_COMPLETING) == 0;
}

/// The controller's jobs and partitions, or why there are none.
struct Controller {
    slurm::OwnedJobs jobs;
    slurm::OwnedPartitions partitions;
    std::string failure;

    static Controller load(std::chrono::seconds limit) {
        Controller controller;
        const Deadline deadline(limit);
        job_info_msg_t* jobs = nullptr;
        partition_info_msg_t* partitions = nullptr;
        errno = 0;
        if (slurm_load_jobs(0, &jobs, SHOW_ALL) != SLURM_SUCCESS ||
            slurm_load_partitions(0, &partitions, SHOW_ALL) != SLURM_SUCCESS)
            controller.failure = deadline.expired() ? "no answer in time" : slurm_strerror(errno);
        controller.jobs.reset(jobs);
        controller.partitions.reset(partitions);
        return controller;
    }
};

QosUse jobs_with(const Controller& controller, const std::string& qos) {
    QosUse use{qos, "jobs", {}, {}};
    for (std::uint32_t i = 0; i < controller.jobs->record_count; ++i) {
        const slurm_job_info_t& job = controller.jobs->job_array[i];
        if (!is_over(job) && names_qos(job.qos, qos))
            use.by_whom.push_back(std::to_string(slurm::job_id_of(job)));
    }
    return use;
}

QosUse partitions_with(const Controller& controller, const std::string& qos) {
    QosUse use{qos, "partitions", {}, {}};
    for (std::uint32_t i = 0; i < controller.partitions->record_count; ++i) {
        const partition_info_t& partition = controller.partitions->partition_array[i];
        if (names_qos(partition.qos_char, qos) || names_qos(partition.allow_qos, qos) ||
            names_qos(partition.deny_qos, qos))
            use.by_whom.emplace_back(partition.name == nullptr ? "" : partition.name);
    }
    return use;
}

QosUse preempted_by(std::span<const StoredQos> all, std::span<const std::string> leaving,
                    const std::string& qos) {
    QosUse use{qos, "Preempt of other QOSs", {}, {}};
    for (const StoredQos& other : all) {
        const bool leaves = std::find(leaving.begin(), leaving.end(), other.record.name) != leaving.end();
        if (!leaves && other.record.preempt.contains(qos)) use.by_whom.push_back(other.record.name);
    }
    return use;
}

} // namespace

std::string describe(const QosUse& use) {
    constexpr std::size_t shown = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(shown, use.by_whom.size()); ++i)
        names += (i == 0 ? "" : "; ") + use.by_whom[i];
    if (use.by_whom.size() > shown) names += "; ...";
    const std::string bar = use.bar.empty() ? "" : "; " + use.bar;
    return text::format("QOS {} is used by {} ({}: {}){}", use.qos, use.what, use.by_whom.size(), names, bar);
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
        if (!use.by_whom.empty()) uses.found.push_back(std::move(use));
    };
    for (const AssociationUse& kind : association_uses) {
        auto found = associations_with(connection, kind, targets);
        if (!found) return found.error();
        for (QosUse& use : *found)
            note(std::move(use));
    }
    const Controller controller = Controller::load(connection.session().time_limit());
    if (!controller.failure.empty())
        uses.unknown.push_back("jobs and partitions: slurmctld: " + controller.failure);
    for (const std::string& name : names) {
        note(preempted_by(all, names, name));
        if (!controller.failure.empty()) continue;
        note(jobs_with(controller, name));
        note(partitions_with(controller, name));
    }
    return uses;
}

} // namespace qg::slurmdb
