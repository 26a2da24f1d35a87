// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/view_builder.hpp"

#include "qosgate/quota/privacy.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace qg::quota {
namespace {

using model::AccountView;
using model::PartitionChoice;
using model::PrivateData;

/// Copies QOSs into a view, each once.
class QosCopier {
  public:
    QosCopier(AccountView& view, const JobRecords& records) : view_(view), records_(records) {}

    /// The index of the QOS in the view.
    std::size_t add(std::uint32_t id) {
        const auto seen = std::ranges::find(view_.qos, id, &model::Qos::id);
        if (seen != view_.qos.end()) return static_cast<std::size_t>(seen - view_.qos.begin());
        view_.qos.push_back(records_.copy_qos(id));
        return view_.qos.size() - 1;
    }

  private:
    AccountView& view_;
    const JobRecords& records_;
};

/// The ids of the QOSs that apply to a job.
struct QosIds {
    /// The QOS of one of the view's partitions.
    struct OfPartition {
        std::size_t partition;
        std::uint32_t qos;
    };

    std::optional<std::uint32_t> job;
    std::vector<OfPartition> partitions; ///< of the partitions that have one

    [[nodiscard]] [[gnu::cold]] std::vector<std::uint32_t> list_all() const {
        std::vector<std::uint32_t> ids;
        ids.reserve(partitions.size() + 1);
        if (job) ids.push_back(*job);
        for (const OfPartition& of_partition : partitions)
            ids.push_back(of_partition.qos);
        return ids;
    }

    /// Calls `use(ids)` with all of them.
    template <typename Use>
    auto with_all(Use use) const {
        if (partitions.empty()) // the usual case
            return use(job ? std::span(&*job, 1) : std::span<const std::uint32_t>());
        return use(std::span<const std::uint32_t>(list_all()));
    }
};

/// Why a job has its QOS, and its name and flags.
model::QosChoice describe(const ChosenQos& chosen, const QosIds& ids, const JobRecords& records) {
    return {.qos = {},
            .flags = ids.job ? std::optional(chosen.flags) : std::nullopt,
            .alternatives = {},
            .name = std::string(ids.job ? records.qos_name(*ids.job) : chosen.asked),
            .is_default = chosen.is_default,
            .problem = chosen.problem};
}

/// Adds the job's partitions; returns their QOSs.
std::vector<QosIds::OfPartition> add_partitions(AccountView& view, const JobRecords& records,
                                                const Lookup& lookup) {
    std::vector<QosIds::OfPartition> found;
    view.partitions.reserve(lookup.partitions.size());
    for (const auto& partition : lookup.partitions) {
        const auto qos = partition->qos.empty() ? std::nullopt : records.find(partition->qos);
        if (qos) found.push_back({view.partitions.size(), *qos});
        view.partitions.push_back({partition, std::nullopt});
    }
    return found;
}

/// AccountView::differing_partition.
std::optional<std::size_t> find_differing_partition(const JobRecords& records, const Lookup& lookup) {
    if (!records.has_association()) return std::nullopt;
    for (std::size_t i = 1; i < lookup.partitions.size(); ++i)
        if (!records.has_same_association(lookup.partitions[i]->name)) return i;
    return std::nullopt;
}

/// Whether a partition asks for the job's accounts, up to the root.
bool asks_for_accounts(const PartitionChoice& choice) {
    return !choice.partition->allow_accounts.empty() || !choice.partition->deny_accounts.empty();
}

/// Copies limits and usage.
[[gnu::noinline]] void copy_limits_and_usage(AccountView& view, const JobRecords& records,
                                             const ChosenQos& chosen, const QosIds& ids) {
    view.associations = records.copy_associations();
    QosCopier copier(view, records);
    if (ids.job) view.job_qos.qos = copier.add(*ids.job);
    for (const std::uint32_t id : chosen.alternatives)
        view.job_qos.alternatives.push_back(copier.add(id));
    for (const QosIds::OfPartition& of_partition : ids.partitions)
        view.partitions[of_partition.partition].qos = copier.add(of_partition.qos);
}

/// Whether the user is told what else there is.
bool needs_alternatives(const AccountView& view, const JobRecords& records, const Lookup& lookup) {
    return view.job_qos.problem != model::QosProblem::none || lookup.lists_alternatives ||
           !records.has_association();
}

/// Divides the user's accounts into those that are usable in the job's partition and the others.
void name_accounts(AccountView& view, std::vector<model::UserAccount> all) {
    const std::string_view partition =
        view.partitions.empty() ? std::string_view() : view.partitions.front().partition->name;
    const auto is_of_other = [partition](const model::UserAccount& account) {
        return !account.partition.empty() && account.partition != partition;
    };
    for (model::UserAccount& account : all)
        if (is_of_other(account))
            view.accounts_of_partitions.push_back(std::move(account));
        else
            view.accounts.push_back(std::move(account.name));
    view.accounts = sorted(std::move(view.accounts));
    view.accounts_of_partitions = sorted(std::move(view.accounts_of_partitions));
}

/// Fills in the alternatives for the user.
[[gnu::cold]] void name_alternatives(AccountView& view, const JobRecords& records, const Lookup& lookup) {
    if (view.job_qos.problem != model::QosProblem::none || lookup.lists_alternatives)
        view.permitted_qos = sorted(records.permitted_names());
    if (lookup.lists_alternatives || !records.has_association())
        name_accounts(view, records.accounts(bounds_for_messages).all);
    if (!lookup.lists_alternatives) return;
    if (const auto qos = find_default_qos(records); qos && records.has_qos(*qos))
        view.default_qos = records.qos_name(*qos);
    view.default_account = records.default_account();
}

/// Whether some of the job's partitions are hidden from users.
bool hides_partition(const AccountView& view, PrivateData hidden) {
    return !std::ranges::all_of(view.partitions, [hidden](const PartitionChoice& choice) {
        return is_shown(*choice.partition, hidden);
    });
}

/// Marks what is hidden from the reader of the answer.
[[gnu::cold]] void hide_from_reader(AccountView& view, const JobRecords& records, const Lookup& lookup,
                                    PrivateData hidden) {
    if (view.is_within_limits && !lookup.names_others && !hides_partition(view, hidden)) {
        view.hidden = hidden; // from operators as well: the answer for such a job says almost nothing
        return;
    }
    view.reader_is_operator = records.is_operator(lookup.reader);
    if (view.reader_is_operator) return;
    const auto coordinates = records.coordinated_accounts(lookup.reader);
    hide_private_data(view, hidden, {lookup.reader == lookup.user_id, coordinates});
}

} // namespace

AccountView build_view(const JobRecords& records, const Lookup& lookup) {
    const model::Enforce enforce = records.enforce();
    const JobOwner owner = records.owner();
    const bool by_operator = lookup.requester && records.is_operator(*lookup.requester);
    const ChosenQos chosen = choose_qos(
        records,
        {lookup.qos, lookup.has_reservation, lookup.takes_qos_lists, by_operator && !lookup.keeps_qos},
        enforce);
    QosIds ids;
    if (chosen.id && records.has_qos(*chosen.id)) ids.job = chosen.id;
    if (lookup.own_qos != nullptr && ids.job)
        lookup.own_qos->emplace(WithResultOf([&] { return records.copy_qos(*ids.job); }));

    AccountView view{.tres = records.tres(),
                     .enforce = enforce,
                     .user_name = std::string(owner.user_name),
                     .account = std::string(owner.account),
                     .qos = {},
                     .job_qos = describe(chosen, ids, records),
                     .partitions = {},
                     .associations = {},
                     .differing_partition = find_differing_partition(records, lookup),
                     .permitted_qos = {},
                     .accounts = {},
                     .accounts_of_partitions = {},
                     .default_qos = {},
                     .default_account = {},
                     .hidden = {},
                     .requester_is_operator = by_operator};
    ids.partitions = add_partitions(view, records, lookup);

    const bool is_settled = records.has_association() && !view.differing_partition &&
                            chosen.alternatives.empty() && chosen.problem == model::QosProblem::none;
    if (lookup.job_bounds != nullptr && is_settled) {
        if (std::ranges::any_of(view.partitions, asks_for_accounts))
            view.associations = records.name_associations();
        view.is_within_limits = ids.with_all(
            [&](std::span<const std::uint32_t> all) { return records.is_within_limits(view, all); });
    }
    if (!view.is_within_limits) [[unlikely]]
        copy_limits_and_usage(view, records, chosen, ids);
    if (needs_alternatives(view, records, lookup)) name_alternatives(view, records, lookup);
    const PrivateData hidden = records.private_data();
    if (hidden != PrivateData{} || lookup.names_others || hides_partition(view, {}))
        hide_from_reader(view, records, lookup, hidden);
    return view;
}

} // namespace qg::quota
