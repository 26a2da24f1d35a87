// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/local_quota.hpp"

#include "qosgate/quota/privacy.hpp"

#include "qosgate/base/check.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/quota/choose_qos.hpp"

#include <algorithm>

namespace qg::quota {
namespace {

/// The indices of the chain user -> root that a job belongs to; empty: no association.
std::vector<std::size_t> find_chain(const LocalRecords& records, const Lookup& lookup) {
    std::vector<std::size_t> chain;
    std::optional<std::size_t> at;
    for (std::size_t i = 0; i < records.associations.size() && !at; ++i) {
        const LocalAssociation& candidate = records.associations[i];
        const bool fits = candidate.link.level == model::AssociationLevel::user &&
                          candidate.user_id == lookup.user_id &&
                          (lookup.account.empty() || text::iequals(candidate.link.account, lookup.account));
        if (fits) at = i;
    }
    while (at && chain.size() <= records.associations.size()) {
        chain.push_back(*at);
        at = records.associations.at(*at).parent;
    }
    return chain;
}

std::optional<std::size_t> find_qos(const LocalRecords& records, std::string_view name) {
    for (std::size_t i = 0; i < records.qos.size(); ++i)
        if (text::iequals(records.qos[i].qos.name, name)) return i;
    return std::nullopt;
}

bool is_operator(const LocalRecords& records, std::optional<std::uint32_t> user) {
    if (!user) return false;
    const auto& all = records.operators;
    return *user == 0 || std::find(all.begin(), all.end(), *user) != all.end();
}

/// Here a QOS's index serves as its id.
class LocalFacts final : public QosFacts {
  public:
    LocalFacts(const LocalRecords& records, const std::vector<std::size_t>& chain, const Lookup& lookup)
        : records_(records), chain_(chain), lookup_(lookup) {}

    std::optional<std::uint32_t> find(std::string_view name) const override {
        return id(find_qos(records_, name));
    }
    std::optional<std::uint32_t> association_default() const override {
        return chain_.empty() ? std::nullopt : default_of(chain_.front());
    }
    std::optional<std::uint32_t> root_default() const override {
        return chain_.empty() ? std::nullopt : default_of(chain_.back());
    }
    bool has_association() const override { return !chain_.empty(); }
    bool is_permitted(std::uint32_t qos) const override {
        const auto all = permitted();
        return std::find(all.begin(), all.end(), qos) != all.end();
    }
    std::optional<std::uint32_t> only_permitted() const override {
        const auto all = permitted();
        return all.size() == 1 ? std::optional(all.front()) : std::nullopt;
    }
    std::vector<std::uint32_t> permitted() const {
        std::vector<std::uint32_t> ids;
        for (std::uint32_t i = 0; i < records_.qos.size(); ++i)
            if (!named() || is_named(records_.qos[i].qos.name)) ids.push_back(i);
        return ids;
    }
    model::QosFlags flags(std::uint32_t qos) const override { return records_.qos.at(qos).qos.flags; }
    std::uint32_t priority(std::uint32_t qos) const override { return records_.qos.at(qos).qos.priority; }
    bool is_partition_qos(std::uint32_t qos) const override {
        return std::any_of(lookup_.partitions.begin(), lookup_.partitions.end(), [&](const auto& partition) {
            return text::iequals(partition->qos, records_.qos.at(qos).qos.name);
        });
    }

  private:
    static std::optional<std::uint32_t> id(std::optional<std::size_t> index) {
        return index ? std::optional(static_cast<std::uint32_t>(*index)) : std::nullopt;
    }
    std::optional<std::uint32_t> default_of(std::size_t association) const {
        const auto& name = records_.associations.at(association).default_qos;
        return name ? find(*name) : std::nullopt;
    }
    /// The nearest list of permitted QOSs on the chain; null: every QOS is permitted.
    const std::vector<std::string>* named() const {
        for (std::size_t index : chain_)
            if (const auto& list = records_.associations[index].permitted_qos) return &*list;
        return nullptr;
    }
    bool is_named(std::string_view name) const {
        return std::any_of(named()->begin(), named()->end(),
                           [&](const std::string& other) { return text::iequals(other, name); });
    }

    const LocalRecords& records_;
    const std::vector<std::size_t>& chain_;
    const Lookup& lookup_;
};

/// Adds a copy of a QOS to the view, once; returns its index there.
std::size_t add_qos(model::AccountView& view, const LocalQos& source, std::uint32_t id,
                    std::uint32_t user_id) {
    for (std::size_t i = 0; i < view.qos.size(); ++i)
        if (view.qos[i].id == id) return i;
    model::Qos copy = source.qos;
    copy.id = id;
    if (const auto user = source.users.find(user_id); user != source.users.end())
        copy.user_usage = user->second;
    if (const auto account = source.accounts.find(view.account); account != source.accounts.end())
        copy.account_usage = account->second;
    view.qos.push_back(std::move(copy));
    return view.qos.size() - 1;
}

std::vector<std::string> accounts_of(const LocalRecords& records, std::uint32_t user_id) {
    std::vector<std::string> accounts;
    for (const LocalAssociation& association : records.associations)
        if (association.link.level == model::AssociationLevel::user && association.user_id == user_id)
            accounts.push_back(association.link.account);
    std::ranges::sort(accounts);
    const auto repeated = std::ranges::unique(accounts);
    accounts.erase(repeated.begin(), repeated.end());
    return accounts;
}

} // namespace

Result<model::AccountView> LocalQuota::check(const Lookup& lookup) const {
    const std::vector<std::size_t> chain = find_chain(records_, lookup);
    model::AccountView view;
    view.tres = records_.tres;
    view.enforce = records_.enforce;
    view.account =
        chain.empty() ? std::string(lookup.account) : records_.associations[chain.front()].link.account;
    if (!chain.empty()) view.user_name = records_.associations[chain.front()].link.user;
    for (std::size_t index : chain)
        view.associations.push_back(records_.associations[index].link);

    view.requester_is_operator = is_operator(records_, lookup.requester);

    const LocalFacts facts(records_, chain, lookup);
    const ChosenQos chosen = choose_qos(
        facts, {lookup.qos, lookup.has_reservation, lookup.takes_qos_lists, view.requester_is_operator},
        view.enforce);
    view.job_qos.name = chosen.asked;
    view.job_qos.is_default = chosen.is_default;
    view.job_qos.problem = chosen.problem;
    if (chosen.id) set_job_qos(view, add_qos(view, records_.qos[*chosen.id], *chosen.id, lookup.user_id));
    for (const std::uint32_t id : chosen.more)
        view.job_qos.more.push_back(add_qos(view, records_.qos[id], id, lookup.user_id));
    if (lookup.lists_alternatives || chain.empty()) view.accounts = accounts_of(records_, lookup.user_id);
    if (chosen.problem != model::QosProblem::none || lookup.lists_alternatives)
        for (std::uint32_t id : facts.permitted())
            view.permitted_qos.push_back(records_.qos[id].qos.name);

    for (const auto& partition : lookup.partitions) {
        model::PartitionChoice choice{partition, std::nullopt};
        if (const auto index = find_qos(records_, partition->qos); index && !partition->qos.empty())
            choice.qos =
                add_qos(view, records_.qos[*index], static_cast<std::uint32_t>(*index), lookup.user_id);
        view.partitions.push_back(std::move(choice));
    }
    view.reader_is_operator = is_operator(records_, lookup.reader);
    if (!view.reader_is_operator)
        hide_private_data(view, records_.private_data,
                          {.is_user = lookup.reader == lookup.user_id, .coordinates = {}});
    return view;
}

template <typename Change>
void LocalQuota::for_each_usage(const Lookup& lookup, Change change) {
    const auto view = check(lookup);
    QG_CHECK(view.has_value());
    std::vector<std::size_t> used;
    if (view->job_qos.qos) used.push_back(view->qos[*view->job_qos.qos].id);
    if (!view->partitions.empty() && view->partitions.front().qos) {
        const std::size_t id = view->qos[*view->partitions.front().qos].id;
        if (used.empty() || used.front() != id) used.push_back(id);
    }
    for (std::size_t id : used) {
        LocalQos& qos = records_.qos[id];
        change(qos.qos.usage);
        change(qos.users[lookup.user_id]);
        change(qos.accounts[view->account]);
    }
    for (std::size_t index : find_chain(records_, lookup))
        change(records_.associations[index].link.usage);
}

namespace {

/// Adds (or takes away) one running job.
void book(model::Usage& usage, const model::ResolvedJob& job, std::size_t tres_count, bool adds) {
    const auto apply = [adds](std::uint64_t& value, std::uint64_t amount) {
        value = adds ? value + amount : value - std::min(value, amount);
    };
    const model::TresCounts& counts = job.allocated ? *job.allocated : job.tres;
    const std::uint64_t minutes = job.time_limit ? job.time_limit->minutes : 0;
    apply(usage.jobs, 1);
    apply(usage.submit_jobs, 1);
    usage.tres.resize(tres_count);
    usage.tres_run_minutes.resize(tres_count);
    for (std::size_t i = 0; i < tres_count; ++i) {
        apply(usage.tres[i], model::count_at(counts, i));
        apply(usage.tres_run_minutes[i], model::count_at(counts, i) * minutes);
    }
}

} // namespace

void LocalQuota::allocate(const Lookup& lookup, const model::ResolvedJob& job) {
    for_each_usage(lookup,
                   [&](model::Usage& usage) { book(usage, job, records_.tres->size(), /*adds=*/true); });
}

void LocalQuota::release(const Lookup& lookup, const model::ResolvedJob& job) {
    for_each_usage(lookup,
                   [&](model::Usage& usage) { book(usage, job, records_.tres->size(), /*adds=*/false); });
}

} // namespace qg::quota
