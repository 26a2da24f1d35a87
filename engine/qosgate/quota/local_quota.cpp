// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/local_quota.hpp"

#include "qosgate/base/check.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/quota/view_builder.hpp"

#include <algorithm>

namespace qg::quota {
namespace {

/// The indices of a job's association chain, user -> root; empty: no association.
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

std::vector<std::string> accounts_of(const LocalRecords& records, std::uint32_t user_id) {
    std::vector<std::string> accounts;
    for (const LocalAssociation& association : records.associations)
        if (association.link.level == model::AssociationLevel::user && association.user_id == user_id)
            accounts.push_back(association.link.account);
    return accounts;
}

bool has_rights(const LocalRecords& records, std::uint32_t user_id) {
    return user_id == 0 || std::ranges::find(records.operators, user_id) != records.operators.end();
}

/// Here a QOS's index serves as its id.
class LocalJobRecords final : public JobRecords {
  public:
    LocalJobRecords(const LocalRecords& records, const Lookup& lookup)
        : records_(records), chain_(find_chain(records, lookup)), lookup_(lookup) {}

    std::shared_ptr<const model::TresCatalogue> tres() const override { return records_.tres; }
    model::Enforce enforce() const override { return records_.enforce; }
    model::PrivateData private_data() const override { return records_.private_data; }

    JobOwner owner() const override {
        if (chain_.empty()) return {.user_name = {}, .account = lookup_.account};
        const model::Association& link = records_.associations[chain_.front()].link;
        return {link.user, link.account};
    }
    std::vector<model::Association> name_associations() const override { return copy_associations(); }
    std::vector<model::Association> copy_associations() const override {
        std::vector<model::Association> copies;
        for (const std::size_t index : chain_)
            copies.push_back(records_.associations[index].link);
        return copies;
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

    std::vector<std::string> permitted_names() const override {
        std::vector<std::string> names;
        for (const std::uint32_t qos : permitted())
            names.push_back(records_.qos[qos].qos.name);
        return names;
    }
    std::vector<std::string> accounts() const override { return accounts_of(records_, lookup_.user_id); }
    std::string default_account() const override {
        Lookup without_account = lookup_;
        without_account.account = {};
        const auto own = find_chain(records_, without_account);
        return own.empty() ? std::string() : records_.associations[own.front()].link.account;
    }
    bool is_operator(std::uint32_t user_id) const override { return has_rights(records_, user_id); }
    std::vector<std::string_view> coordinated_accounts(std::uint32_t) const override { return {}; }

    std::optional<std::uint32_t> find(std::string_view name) const override {
        const auto index = find_qos(records_, name);
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
        const auto all = permitted();
        return all.size() == 1 ? std::optional(all.front()) : std::nullopt;
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

    const LocalRecords& records_;
    std::vector<std::size_t> chain_;
    const Lookup& lookup_;
};

} // namespace

Result<model::AccountView> LocalQuota::check(const Lookup& lookup) const {
    return build_view(LocalJobRecords(records_, lookup), lookup);
}

bool LocalQuota::is_operator(std::uint32_t user_id) const {
    return has_rights(records_, user_id);
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
