// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/assoc_records.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/quota/choose_qos.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/limits.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <set>

namespace qg::slurm {
namespace {

using model::AccountView;
using model::AssociationLevel;

/// Deeper account trees do not exist; a cycle of parents must not hang anyone.
constexpr std::size_t greatest_depth = 64;

std::shared_ptr<const model::TresCatalogue> read_tres(const assoc_mgr_info_msg_t& message) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; message.tres_names != nullptr && i < message.tres_cnt; ++i)
        names.emplace_back(view_text(message.tres_names[i]));
    return names.empty() ? model::TresCatalogue::built_in()
                         : std::make_shared<const model::TresCatalogue>(std::move(names));
}

QosRow read_qos_row(const slurmdb_qos_rec_t& record, std::size_t tres_count) {
    QosRow row;
    row.qos = read_qos(record, tres_count);
    row.is_of_partition = (static_cast<std::uint32_t>(record.flags) & qos_flag_of_partition) != 0;
    if (record.usage == nullptr) return row;
    const std::size_t count = std::min<std::size_t>(record.usage->tres_cnt, tres_count);
    for_each<slurmdb_used_limits_t>(record.usage->user_limit_list, [&](const slurmdb_used_limits_t& used) {
        row.users.emplace(used.uid, read_usage(used, count));
    });
    for_each<slurmdb_used_limits_t>(record.usage->acct_limit_list, [&](const slurmdb_used_limits_t& used) {
        row.accounts.emplace(view_text(used.acct), read_usage(used, count));
    });
    return row;
}

std::optional<std::vector<bool>> read_bits(bitstr_t* bits) {
    if (bits == nullptr) return std::nullopt;
    std::vector<bool> result(static_cast<std::size_t>(slurm_bit_size(bits)));
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = slurm_bit_test(bits, static_cast<std::int64_t>(i)) != 0;
    return result;
}

AssociationRow read_association_row(const slurmdb_assoc_rec_t& record, std::size_t tres_count) {
    AssociationRow row;
    row.link = read_association(record, tres_count, model::LimitSet::all());
    row.user_id = record.uid;
    row.parent_id = record.parent_id;
    if (record.def_qos_id != 0 && is_count(record.def_qos_id)) row.default_qos = record.def_qos_id;
    if (record.usage != nullptr) row.permitted_qos = read_bits(record.usage->valid_qos);
    return row;
}

/// The association of a user in an account: the one for the partition wins over the one for all.
const AssociationRow* find_association(const AssocRecords& records, std::uint32_t user_id,
                                       std::string_view account, std::string_view partition) {
    const AssociationRow* for_all = nullptr;
    const auto [first, last] = records.ids_by_user.equal_range(user_id);
    for (auto at = first; at != last; ++at) {
        const AssociationRow& row = records.associations.at(at->second);
        if (!text::iequals(row.link.account, account)) continue;
        if (row.link.partition.empty())
            for_all = &row;
        else if (row.link.partition == partition)
            return &row;
    }
    return for_all;
}

/// Finds the association of a job, leaving the user's name and the account used in the view.
const AssociationRow* find_association(const AssocRecords& records, const quota::Lookup& lookup,
                                       AccountView& view) {
    const std::string_view partition =
        lookup.partitions.empty() ? std::string_view() : std::string_view(lookup.partitions.front()->name);
    const auto user = records.users.find(lookup.user_id);
    const std::string default_account =
        user == records.users.end() ? std::string() : user->second.default_account;
    if (user != records.users.end()) view.user_name = user->second.name;
    view.account = lookup.account.empty() ? default_account : text::lower(lookup.account);
    const AssociationRow* found = find_association(records, lookup.user_id, view.account, partition);
    // Without `associations` in AccountingStorageEnforce an account the user is not in counts as none given.
    if (found == nullptr && !records.enforce.associations && !default_account.empty()) {
        found = find_association(records, lookup.user_id, default_account, partition);
        if (found != nullptr) view.account = default_account;
    }
    return found;
}

std::vector<model::Association> copy_chain(const AssocRecords& records, const AssociationRow* row) {
    std::vector<model::Association> chain;
    while (row != nullptr && chain.size() < greatest_depth) {
        chain.push_back(row->link);
        const auto parent = records.associations.find(row->parent_id);
        row = parent == records.associations.end() ? nullptr : &parent->second;
    }
    return chain;
}

class RecordFacts final : public quota::QosFacts {
  public:
    RecordFacts(const AssocRecords& records, const AssociationRow* association)
        : records_(records), association_(association) {}

    std::optional<std::uint32_t> find(std::string_view name) const override {
        for (const auto& [id, row] : records_.qos)
            if (text::iequals(row.qos.name, name)) return id;
        return std::nullopt;
    }
    std::optional<std::uint32_t> association_default() const override {
        // slurmctld looks at an association's default only where its list of QOSs is known.
        return association_ != nullptr && association_->permitted_qos ? association_->default_qos
                                                                      : std::nullopt;
    }
    std::optional<std::uint32_t> root_default() const override {
        return records_.root ? records_.associations.at(*records_.root).default_qos : std::nullopt;
    }
    bool has_association() const override { return association_ != nullptr; }
    bool is_permitted(std::uint32_t qos) const override {
        if (association_ == nullptr || !association_->permitted_qos) return false;
        return qos < association_->permitted_qos->size() && (*association_->permitted_qos)[qos];
    }
    std::optional<std::uint32_t> only_permitted() const override {
        const auto all = permitted();
        return all.size() == 1 ? std::optional(all.front()) : std::nullopt;
    }
    std::vector<std::uint32_t> permitted() const {
        std::vector<std::uint32_t> ids;
        for (const auto& [id, row] : records_.qos)
            if (is_permitted(id)) ids.push_back(id);
        return ids;
    }
    model::QosFlags flags(std::uint32_t qos) const override {
        const auto row = records_.qos.find(qos);
        return row == records_.qos.end() ? model::QosFlags{} : row->second.qos.flags;
    }
    std::uint32_t priority(std::uint32_t qos) const override {
        const auto row = records_.qos.find(qos);
        return row == records_.qos.end() ? 0 : row->second.qos.priority;
    }
    bool is_partition_qos(std::uint32_t qos) const override {
        const auto row = records_.qos.find(qos);
        return row != records_.qos.end() && row->second.is_of_partition;
    }

  private:
    const AssocRecords& records_;
    const AssociationRow* association_;
};

/// Adds a copy of a QOS to the view, once; returns its index there, nothing for an id without a record.
std::optional<std::size_t> add_qos(AccountView& view, const AssocRecords& records,
                                   std::optional<std::uint32_t> id, std::uint32_t user_id) {
    const auto found = id ? records.qos.find(*id) : records.qos.end();
    if (found == records.qos.end()) return std::nullopt;
    for (std::size_t i = 0; i < view.qos.size(); ++i)
        if (view.qos[i].id == *id) return i;
    const QosRow& row = found->second;
    model::Qos copy = row.qos;
    if (const auto user = row.users.find(user_id); user != row.users.end()) copy.user_usage = user->second;
    if (const auto account = row.accounts.find(view.account); account != row.accounts.end())
        copy.account_usage = account->second;
    view.qos.push_back(std::move(copy));
    return view.qos.size() - 1;
}

std::vector<std::string> permitted_names(const AssocRecords& records, const RecordFacts& facts) {
    std::vector<std::string> names;
    for (const std::uint32_t id : facts.permitted())
        names.push_back(records.qos.at(id).qos.name);
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> accounts_of(const AssocRecords& records, std::uint32_t user_id) {
    std::set<std::string> accounts;
    for (const auto& [id, row] : records.associations)
        if (row.link.level == model::AssociationLevel::user && row.user_id == user_id)
            accounts.insert(row.link.account);
    return {accounts.begin(), accounts.end()};
}

} // namespace

AssocRecords read_assoc_records(const assoc_mgr_info_msg_t& message, model::Enforce enforce) {
    AssocRecords records;
    records.tres = read_tres(message);
    records.enforce = enforce;
    const std::size_t tres_count = records.tres->size();
    for_each<slurmdb_qos_rec_t>(message.qos_list, [&](const slurmdb_qos_rec_t& record) {
        records.qos.emplace(record.id, read_qos_row(record, tres_count));
    });
    for_each<slurmdb_assoc_rec_t>(message.assoc_list, [&](const slurmdb_assoc_rec_t& record) {
        records.associations.emplace(record.id, read_association_row(record, tres_count));
    });
    for (auto& [id, row] : records.associations) {
        if (row.link.level == AssociationLevel::user) {
            records.ids_by_user.emplace(row.user_id, id);
            continue;
        }
        // A record that was sent does not point to its parent, only names it.
        const bool has_parent = records.associations.contains(row.parent_id);
        row.link.level = has_parent ? AssociationLevel::account : AssociationLevel::root;
        if (!has_parent && row.link.account == "root") records.root = id;
    }
    for_each<slurmdb_user_rec_t>(message.user_list, [&](const slurmdb_user_rec_t& user) {
        records.users.emplace(
            user.uid, UserRow{std::string(view_text(user.name)), std::string(view_text(user.default_acct))});
    });
    return records;
}

AccountView view_of(const AssocRecords& records, const quota::Lookup& lookup) {
    AccountView view;
    view.tres = records.tres;
    view.enforce = records.enforce;
    const AssociationRow* association = find_association(records, lookup, view);
    view.associations = copy_chain(records, association);

    const RecordFacts facts(records, association);
    const quota::ChosenQos chosen =
        quota::choose_qos(facts, {lookup.qos, lookup.has_reservation, lookup.takes_qos_lists}, view.enforce);
    view.job_qos.is_default = chosen.is_default;
    view.job_qos.problem = chosen.problem;
    view.job_qos.name = chosen.asked;
    if (const auto index = add_qos(view, records, chosen.id, lookup.user_id)) set_job_qos(view, *index);
    for (const std::uint32_t id : chosen.more)
        if (const auto index = add_qos(view, records, id, lookup.user_id))
            view.job_qos.more.push_back(*index);
    if (chosen.problem != model::QosProblem::none || lookup.lists_alternatives)
        view.permitted_qos = permitted_names(records, facts);
    if (lookup.lists_alternatives || association == nullptr)
        view.accounts = accounts_of(records, lookup.user_id);
    for (const auto& partition : lookup.partitions) {
        const auto qos = partition->qos.empty() ? std::nullopt : facts.find(partition->qos);
        view.partitions.push_back({partition, add_qos(view, records, qos, lookup.user_id)});
    }
    return view;
}

} // namespace qg::slurm
