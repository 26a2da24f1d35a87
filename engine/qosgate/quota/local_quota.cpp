// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/local_quota.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/quota/local_headroom.hpp"

#include <algorithm>

namespace qg::quota {
namespace {

using Index = LocalQuota::Index;

/// Records, and where they are.
struct Indexed {
    const LocalRecords& records;
    const Index& index;

    [[nodiscard]] const UserRecord* find_user(std::uint32_t user_id) const {
        const auto found = index.users.find(user_id);
        return found == index.users.end() ? nullptr : &records.users[found->second];
    }
    /// The places of a user's associations.
    [[nodiscard]] std::span<const std::size_t> associations_of(std::uint32_t user_id) const {
        const auto found = index.associations.find(user_id);
        return found == index.associations.end() ? std::span<const std::size_t>() : std::span(found->second);
    }
};

/// The user's own record, or the account of the first association; empty: none.
std::string_view default_account_of(const Indexed& all, std::uint32_t user_id) {
    const UserRecord* user = all.find_user(user_id);
    if (user != nullptr && !user->default_account.empty()) return user->default_account;
    const auto own = all.associations_of(user_id);
    return own.empty() ? std::string_view()
                       : std::string_view(all.records.associations[own.front()].link.account);
}

/// A user's association in an account: the one for the partition wins over the one for all.
std::optional<std::size_t> find_association(const Indexed& all, std::uint32_t user_id,
                                            std::string_view account, std::string_view partition) {
    std::optional<std::size_t> for_all;
    for (const std::size_t place : all.associations_of(user_id)) {
        const LocalAssociation& candidate = all.records.associations[place];
        if (!text::iequals(candidate.link.account, account)) continue;
        if (candidate.link.partition.empty()) {
            if (!for_all) for_all = place;
        } else if (candidate.link.partition == partition) {
            return place;
        }
    }
    return for_all;
}

/// The indices of a job's association chain, user -> root; empty: no association.
std::vector<std::size_t> find_chain(const Indexed& all, const Lookup& lookup) {
    const std::string_view own = default_account_of(all, lookup.user_id);
    const std::string_view partition =
        lookup.partitions.empty() ? std::string_view() : lookup.partitions.front()->name;
    const auto find_in = [&](std::string_view account) {
        return find_association(all, lookup.user_id, account, partition);
    };
    auto at = find_in(lookup.account.empty() ? own : lookup.account);
    // Without `associations` in AccountingStorageEnforce, an account that the user is not in counts as none.
    if (!at && !all.records.enforce.associations) at = find_in(own);
    std::vector<std::size_t> chain;
    while (at && chain.size() <= all.records.associations.size()) {
        chain.push_back(*at);
        at = all.records.associations.at(*at).parent;
    }
    return chain;
}

std::optional<std::size_t> find_qos(const Indexed& all, std::string_view name) {
    const auto found = all.index.qos.find(text::lower(name));
    return found == all.index.qos.end() ? std::nullopt : std::optional(found->second);
}

/// As slurmctld's records are searched: within bounds.
UserAccounts accounts_of(const Indexed& all, std::uint32_t user_id, AccountBounds bounds) {
    UserAccounts accounts;
    const auto own = all.associations_of(user_id);
    accounts.is_complete = all.records.associations.size() <= bounds.checked && own.size() <= bounds.found;
    for (const std::size_t place : own.first(std::min(own.size(), bounds.found))) {
        const model::Association& link = all.records.associations[place].link;
        accounts.all.push_back({link.account, link.partition});
    }
    return accounts;
}

bool has_rights(const Indexed& all, std::uint32_t user_id) {
    const UserRecord* user = all.find_user(user_id);
    const auto& operators = all.records.operators;
    return user_id == 0 || std::ranges::find(operators, user_id) != operators.end() ||
           (user != nullptr && user->level != AdminLevel::none);
}

/// Here a QOS's index serves as its id.
class LocalJobRecords final : public JobRecords {
  public:
    LocalJobRecords(const Indexed& all, const Lookup& lookup, LocalViews views = LocalViews::whole)
        : all_(all), records_(all.records), chain_(find_chain(all, lookup)), lookup_(lookup), views_(views) {}

    std::shared_ptr<const model::TresCatalogue> tres() const override { return records_.tres; }
    model::Enforce enforce() const override { return records_.enforce; }
    model::PrivateData private_data() const override { return records_.private_data; }

    JobOwner owner() const override {
        const UserRecord* user = all_.find_user(lookup_.user_id);
        const std::string_view name = user == nullptr ? std::string_view() : std::string_view(user->name);
        if (chain_.empty()) return {.user_name = name, .account = lookup_.account};
        const model::Association& link = records_.associations[chain_.front()].link;
        return {link.user.empty() ? name : std::string_view(link.user), link.account};
    }
    std::vector<model::Association> name_associations() const override { return copy_associations(); }
    std::vector<model::Association> copy_associations() const override {
        std::vector<model::Association> copies;
        copies.reserve(chain_.size());
        for (const std::size_t index : chain_)
            copies.push_back(records_.associations[index].link);
        return copies;
    }

    bool has_same_association(const std::string& partition) const override {
        return find_association(all_, lookup_.user_id, owner().account, partition) == chain_.front();
    }

    bool has_qos(std::uint32_t qos) const override { return qos < records_.qos.size(); }
    std::string_view qos_name(std::uint32_t qos) const override { return records_.qos.at(qos).qos.name; }
    model::Qos copy_qos(std::uint32_t qos) const override {
        const LocalQos& source = records_.qos.at(qos);
        model::Qos copy = source.qos;
        copy.id = qos;
        if (const auto user = source.users.find(lookup_.user_id); user != source.users.end())
            copy.user_usage = user->second;
        const auto account = source.accounts.find(std::string(owner().account));
        if (account != source.accounts.end()) copy.account_usage = account->second;
        return copy;
    }

    bool is_within_limits(const model::AccountView& view, std::span<const std::uint32_t> qos) const override {
        if (views_ == LocalViews::whole) return false;
        const auto bounds = lookup_.job_bounds->bounds(view);
        if (!bounds || !view.enforce.limits) return bounds.has_value();
        const LocalHeadroom headroom(*bounds, lookup_.user_id, view.account);
        return std::ranges::all_of(
                   qos, [&](std::uint32_t id) { return headroom.suffices_for(records_.qos.at(id)); }) &&
               std::ranges::all_of(chain_, [&](std::size_t index) {
                   return headroom.suffices_for(records_.associations[index]);
               });
    }

    std::vector<std::string> permitted_names() const override {
        std::vector<std::string> names;
        for (const std::uint32_t qos : permitted())
            names.push_back(records_.qos[qos].qos.name);
        return names;
    }
    UserAccounts accounts(AccountBounds bounds) const override {
        return accounts_of(all_, lookup_.user_id, bounds);
    }
    JobCounts count_jobs_of_user(AccountBounds bounds) const override {
        const auto own = all_.associations_of(lookup_.user_id);
        JobCounts counts;
        counts.is_complete = records_.associations.size() <= bounds.checked && own.size() <= bounds.found;
        for (const std::size_t place : own) {
            counts.running += records_.associations[place].link.usage.jobs;
            counts.submitted += records_.associations[place].link.usage.submit_jobs;
        }
        return counts;
    }
    std::string default_account() const override {
        return std::string(default_account_of(all_, lookup_.user_id));
    }
    bool is_operator(std::uint32_t user_id) const override { return has_rights(all_, user_id); }
    UserRecord copy_user(std::uint32_t user_id) const override {
        UserRecord copy;
        if (const UserRecord* own = all_.find_user(user_id)) copy = *own;
        copy.id = user_id;
        if (user_id == 0)
            copy.level = AdminLevel::administrator;
        else if (copy.level == AdminLevel::none && is_operator(user_id))
            copy.level = AdminLevel::operators;
        const auto own_links = all_.associations_of(user_id);
        if (own_links.empty()) return copy;
        if (copy.name.empty()) copy.name = records_.associations[own_links.front()].link.user;
        copy.default_account = default_account_of(all_, user_id);
        return copy;
    }
    std::vector<std::string_view> coordinated_accounts(std::uint32_t user_id) const override {
        const UserRecord* own = all_.find_user(user_id);
        if (own == nullptr) return {};
        return {own->coordinates.begin(), own->coordinates.end()};
    }

    std::optional<std::uint32_t> find(std::string_view name) const override {
        const auto index = find_qos(all_, name);
        return index ? std::optional(static_cast<std::uint32_t>(*index)) : std::nullopt;
    }
    std::optional<std::uint32_t> association_default() const override {
        return chain_.empty() ? std::nullopt : default_of(chain_.front());
    }
    std::optional<std::uint32_t> root_default() const override {
        return chain_.empty() ? std::nullopt : default_of(chain_.back());
    }
    bool has_association() const override { return !chain_.empty(); }
    bool is_permitted(std::uint32_t qos) const override {
        const auto* list = named();
        return list == nullptr || std::ranges::any_of(*list, [&](const std::string& name) {
                   return text::iequals(name, qos_name(qos));
               });
    }
    std::optional<std::uint32_t> only_permitted() const override {
        const auto* list = named();
        if (list == nullptr) return records_.qos.size() == 1 ? std::optional(0u) : std::nullopt;
        std::optional<std::uint32_t> only;
        for (const std::string& name : *list) {
            const auto qos = find(name);
            if (!qos || qos == only) continue;
            if (only) return std::nullopt;
            only = qos;
        }
        return only;
    }
    model::QosFlags flags(std::uint32_t qos) const override { return records_.qos.at(qos).qos.flags; }
    std::uint32_t priority(std::uint32_t qos) const override { return records_.qos.at(qos).qos.priority; }
    bool is_partition_qos(std::uint32_t qos) const override {
        return std::ranges::any_of(lookup_.partitions, [&](const auto& partition) {
            return text::iequals(partition->qos, qos_name(qos));
        });
    }

  private:
    std::vector<std::uint32_t> permitted() const {
        std::vector<std::uint32_t> ids;
        for (std::uint32_t qos = 0; qos < records_.qos.size(); ++qos)
            if (is_permitted(qos)) ids.push_back(qos);
        return ids;
    }
    std::optional<std::uint32_t> default_of(std::size_t association) const {
        const auto& name = records_.associations.at(association).default_qos;
        return name ? find(*name) : std::nullopt;
    }
    /// The nearest list of permitted QOSs on the chain; null: every QOS is permitted.
    const std::vector<std::string>* named() const {
        for (const std::size_t index : chain_)
            if (const auto& list = records_.associations[index].permitted_qos) return &*list;
        return nullptr;
    }

    const Indexed all_;
    const LocalRecords& records_;
    std::vector<std::size_t> chain_;
    const Lookup& lookup_;
    LocalViews views_;
};

} // namespace

LocalQuota::Index::Index(const LocalRecords& records) {
    for (std::size_t place = 0; place < records.associations.size(); ++place) {
        const LocalAssociation& association = records.associations[place];
        if (association.link.level == model::AssociationLevel::user)
            associations[association.user_id].push_back(place);
    }
    for (std::size_t place = 0; place < records.users.size(); ++place)
        users.emplace(records.users[place].id, place);
    for (std::size_t place = 0; place < records.qos.size(); ++place)
        qos.emplace(text::lower(records.qos[place].qos.name), place);
}

Result<model::AccountView> LocalQuota::check(const Lookup& lookup) const {
    return build_view(LocalJobRecords({records_, index_}, lookup, views_), lookup);
}

Result<void> LocalQuota::read(const Lookup& lookup, RecordsReader& reader) const {
    reader.read(LocalJobRecords({records_, index_}, lookup));
    return {};
}

bool LocalQuota::is_operator(std::uint32_t user_id) const {
    return has_rights({records_, index_}, user_id);
}

template <typename Change>
void LocalQuota::for_each_usage(const Lookup& lookup, Change change) {
    const auto view = build_view(LocalJobRecords({records_, index_}, lookup), lookup); // whole
    std::vector<std::size_t> used;
    if (view.job_qos.qos) used.push_back(view.qos[*view.job_qos.qos].id);
    if (!view.partitions.empty() && view.partitions.front().qos) {
        const std::size_t id = view.qos[*view.partitions.front().qos].id;
        if (used.empty() || used.front() != id) used.push_back(id);
    }
    for (std::size_t id : used) {
        LocalQos& qos = records_.qos[id];
        change(qos.qos.usage);
        change(qos.users[lookup.user_id]);
        change(qos.accounts[view.account]);
    }
    for (std::size_t index : find_chain({records_, index_}, lookup))
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
