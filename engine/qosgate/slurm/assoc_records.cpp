// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/assoc_records.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/accounting_records.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace qg::slurm {
namespace {

using model::AssociationLevel;

/// No account tree is deeper. The bound ends the walk if the parents form a cycle.
constexpr std::size_t max_depth = 64;

std::shared_ptr<const model::TresCatalogue> read_tres(const assoc_mgr_info_msg_t& message) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; message.tres_names != nullptr && i < message.tres_cnt; ++i)
        names.emplace_back(view_text(message.tres_names[i]));
    return names.empty() ? model::TresCatalogue::built_in()
                         : std::make_shared<const model::TresCatalogue>(std::move(names));
}

QosRow read_qos_row(const slurmdb_qos_rec_t& record, std::size_t tres_count) {
    QosRow row;
    row.qos = read_qos(record, tres_count, model::LimitSet::all());
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

/// What is needed to choose a QOS; the rest is read from the record when a view needs it.
QosRow refer_to_qos(const slurmdb_qos_rec_t& record) {
    const auto flags = static_cast<std::uint32_t>(record.flags);
    QosRow row;
    row.qos.id = record.id;
    row.qos.name = view_text(record.name);
    row.qos.priority = record.priority;
    row.qos.flags = read_qos_flags(flags);
    row.is_of_partition = (flags & qos_flag_of_partition) != 0;
    row.record = &record;
    return row;
}

/// A QOS with the usage of this user and account.
model::Qos read_qos_for(const slurmdb_qos_rec_t& record, std::size_t tres_count, std::uint32_t user,
                        const std::string& account) {
    model::Qos qos = read_qos(record, tres_count, model::LimitSet::all());
    if (record.usage == nullptr) return qos;
    const std::size_t count = std::min<std::size_t>(record.usage->tres_cnt, tres_count);
    if (const auto* used = usage_of_user(*record.usage, user)) qos.user_usage = read_usage(*used, count);
    if (const auto* used = usage_of_account(*record.usage, account))
        qos.account_usage = read_usage(*used, count);
    return qos;
}

std::optional<std::vector<bool>> read_bits(bitstr_t* bits) {
    if (bits == nullptr) return std::nullopt;
    std::vector<bool> result(static_cast<std::size_t>(slurm_bit_size(bits)));
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = slurm_bit_test(bits, static_cast<std::int64_t>(i)) != 0;
    return result;
}

/// The accounts above an association.
std::vector<std::string> read_accounts_above(const slurmdb_assoc_rec_t& record) {
    std::vector<std::string> accounts;
    for (const std::string_view name : text::split(view_text(lineage_of(record)), '/')) // ends with the user
        if (!name.empty() && !name.starts_with("0-")) accounts.emplace_back(name);
    if (const auto parent = view_text(record.parent_acct); accounts.empty() && !parent.empty())
        accounts.emplace_back(parent);
    return accounts;
}

AssociationRow read_association_row(const slurmdb_assoc_rec_t& record, std::size_t tres_count) {
    AssociationRow row;
    row.link = read_association(record, tres_count, model::LimitSet::all());
    row.user_id = record.uid;
    row.parent_id = record.parent_id;
    row.accounts_above = read_accounts_above(record);
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

/// One job over the records.
class CopiedJobRecords final : public quota::JobRecords {
  public:
    CopiedJobRecords(const AssocRecords& records, const quota::Lookup& lookup, RecordsPart& missing)
        : records_(records), lookup_(lookup), missing_(missing), user_(find_user(lookup.user_id)) {
        find_association_of_job();
    }

    std::shared_ptr<const model::TresCatalogue> tres() const override { return records_.tres; }
    model::Enforce enforce() const override { return records_.conf.enforce; }
    model::PrivateData private_data() const override { return records_.conf.private_data; }

    quota::JobOwner owner() const override {
        return {user_ == nullptr ? std::string_view() : std::string_view(user_->name), account_};
    }
    std::vector<model::Association> name_associations() const override { return copy_associations(); }
    std::vector<model::Association> copy_associations() const override {
        std::vector<model::Association> chain;
        const AssociationRow* row = association_;
        while (row != nullptr && chain.size() < max_depth) {
            chain.push_back(row->link);
            const auto parent = records_.associations.find(row->parent_id);
            if (parent == records_.associations.end()) {
                need_parent(*row);
                row = nullptr;
            } else {
                row = &parent->second;
            }
        }
        return chain;
    }

    bool has_qos(std::uint32_t qos) const override { return find_qos(qos) != nullptr; }
    std::string_view qos_name(std::uint32_t qos) const override { return records_.qos.at(qos).qos.name; }
    model::Qos copy_qos(std::uint32_t qos) const override {
        const QosRow& row = records_.qos.at(qos);
        if (row.record != nullptr)
            return read_qos_for(*row.record, records_.tres->size(), lookup_.user_id, account_);
        model::Qos copy = row.qos;
        if (const auto user = row.users.find(lookup_.user_id); user != row.users.end())
            copy.user_usage = user->second;
        if (const auto account = row.accounts.find(account_); account != row.accounts.end())
            copy.account_usage = account->second;
        return copy;
    }

    std::vector<std::string> permitted_names() const override {
        need_all_qos();
        std::vector<std::string> names;
        for (const auto& [id, row] : records_.qos)
            if (is_permitted(id)) names.push_back(row.qos.name);
        return names;
    }
    /// As slurmctld's records are searched: within bounds.
    quota::UserAccounts accounts(quota::AccountBounds bounds) const override {
        need_all_associations();
        quota::UserAccounts accounts;
        const auto [first, last] = records_.ids_by_user.equal_range(lookup_.user_id);
        accounts.is_complete = records_.associations.size() <= bounds.checked &&
                               static_cast<std::size_t>(std::distance(first, last)) <= bounds.found;
        for (auto at = first; at != last && accounts.all.size() < bounds.found; ++at) {
            const model::Association& link = records_.associations.at(at->second).link;
            accounts.all.push_back({link.account, link.partition});
        }
        return accounts;
    }
    quota::JobCounts count_jobs_of_user(quota::AccountBounds bounds) const override {
        need_all_associations();
        const auto [first, last] = records_.ids_by_user.equal_range(lookup_.user_id);
        quota::JobCounts counts;
        counts.is_complete = records_.associations.size() <= bounds.checked &&
                             static_cast<std::size_t>(std::distance(first, last)) <= bounds.found;
        for (auto at = first; at != last; ++at) {
            const model::Usage& usage = records_.associations.at(at->second).link.usage;
            counts.running += usage.jobs;
            counts.submitted += usage.submit_jobs;
        }
        return counts;
    }
    std::string default_account() const override {
        return user_ == nullptr ? std::string() : user_->default_account;
    }
    bool is_operator(std::uint32_t user_id) const override { return slurm::is_operator(records_, user_id); }
    quota::UserRecord copy_user(std::uint32_t user_id) const override {
        quota::UserRecord copy;
        if (const quota::UserRecord* user = find_user(user_id)) copy = *user;
        copy.id = user_id;
        if (user_id == 0 || user_id == records_.conf.slurm_user_id)
            copy.level = quota::AdminLevel::administrator;
        return copy;
    }
    std::vector<std::string_view> coordinated_accounts(std::uint32_t user_id) const override {
        const quota::UserRecord* user = find_user(user_id);
        if (user == nullptr) return {};
        return {user->coordinates.begin(), user->coordinates.end()};
    }

    std::optional<std::uint32_t> find(std::string_view name) const override {
        for (const auto& [id, row] : records_.qos)
            if (text::iequals(row.qos.name, name)) return id;
        // slurmctld finds the exact name only.
        if (records_.part.qos.contains(name))
            need_all_qos();
        else if (!records_.part.all_qos)
            missing_.qos.emplace(name);
        return std::nullopt;
    }
    std::optional<std::uint32_t> association_default() const override {
        // slurmctld uses an association's default QOS only if its list of QOSs is known.
        return association_ != nullptr && association_->permitted_qos ? association_->default_qos
                                                                      : std::nullopt;
    }
    std::optional<std::uint32_t> root_default() const override {
        need_account("root");
        return records_.root ? records_.associations.at(*records_.root).default_qos : std::nullopt;
    }
    bool has_same_association(const std::string& partition) const override {
        return find_association(records_, lookup_.user_id, account_, partition) == association_;
    }
    bool has_association() const override { return association_ != nullptr; }
    bool is_permitted(std::uint32_t qos) const override {
        if (association_ == nullptr || !association_->permitted_qos) return false;
        return qos < association_->permitted_qos->size() && (*association_->permitted_qos)[qos];
    }
    std::optional<std::uint32_t> only_permitted() const override {
        if (association_ == nullptr || !association_->permitted_qos) return std::nullopt;
        const std::vector<bool>& permitted = *association_->permitted_qos;
        const auto first = std::ranges::find(permitted, true);
        if (first == permitted.end() || std::find(first + 1, permitted.end(), true) != permitted.end())
            return std::nullopt;
        return static_cast<std::uint32_t>(first - permitted.begin());
    }
    model::QosFlags flags(std::uint32_t qos) const override {
        const QosRow* const row = find_qos(qos);
        return row == nullptr ? model::QosFlags{} : row->qos.flags;
    }
    std::uint32_t priority(std::uint32_t qos) const override {
        const QosRow* const row = find_qos(qos);
        return row == nullptr ? 0 : row->qos.priority;
    }
    bool is_partition_qos(std::uint32_t qos) const override {
        const QosRow* const row = find_qos(qos);
        return row != nullptr && row->is_of_partition;
    }

  private:
    void need_all_qos() const { missing_.all_qos |= !records_.part.all_qos; }
    void need_all_associations() const { missing_.all_associations |= !records_.part.all_associations; }
    void need_account(std::string_view name) const {
        if (records_.part.all_associations || name.empty()) return;
        if (std::string key = text::lower(name); !records_.part.accounts.contains(key))
            missing_.accounts.insert(std::move(key));
    }
    /// The association above is not among the records: slurmctld hides it, or it was not asked for.
    void need_parent(const AssociationRow& row) const {
        if (row.parent_id == 0) return;
        if (row.link.level != AssociationLevel::user && row.accounts_above.empty()) need_all_associations();
        need_account("root");
        for (const std::string& account : row.accounts_above)
            need_account(account);
    }
    const QosRow* find_qos(std::uint32_t qos) const {
        const auto row = records_.qos.find(qos);
        if (row != records_.qos.end()) return &row->second;
        need_all_qos();
        return nullptr;
    }
    const quota::UserRecord* find_user(std::uint32_t user_id) const {
        const auto user = records_.users.find(user_id);
        return user == records_.users.end() ? nullptr : &user->second;
    }
    void find_association_of_job() {
        const std::string_view partition = lookup_.partitions.empty()
                                               ? std::string_view()
                                               : std::string_view(lookup_.partitions.front()->name);
        const auto find_in = [&](std::string account) {
            need_account(account);
            const AssociationRow* found = find_association(records_, lookup_.user_id, account, partition);
            if (found != nullptr || account_.empty()) account_ = std::move(account);
            return found;
        };
        association_ = find_in(lookup_.account.empty() ? default_account() : text::lower(lookup_.account));
        // Without `associations` in AccountingStorageEnforce, an account that the user is not in counts as no
        // account.
        if (association_ == nullptr && !records_.conf.enforce.associations && !default_account().empty())
            association_ = find_in(default_account());
    }

    const AssocRecords& records_;
    const quota::Lookup& lookup_;
    RecordsPart& missing_;
    const quota::UserRecord* user_; ///< null: not known
    const AssociationRow* association_ = nullptr;
    std::string account_; ///< the account that is used
};

} // namespace

namespace {

/// `read_row(record)` makes the row of a QOS.
template <typename ReadRow>
void add_rows(AssocRecords& records, const assoc_mgr_info_msg_t& message, ReadRow read_row) {
    const std::size_t tres_count = records.tres->size();
    for_each<slurmdb_qos_rec_t>(message.qos_list, [&](const slurmdb_qos_rec_t& record) {
        records.qos.insert_or_assign(record.id, read_row(record));
    });
    for_each<slurmdb_assoc_rec_t>(message.assoc_list, [&](const slurmdb_assoc_rec_t& record) {
        records.associations.insert_or_assign(record.id, read_association_row(record, tres_count));
    });
    records.ids_by_user.clear();
    records.root.reset();
    for (auto& [id, row] : records.associations) {
        if (row.link.level == AssociationLevel::user) {
            records.ids_by_user.emplace(row.user_id, id);
            continue;
        }
        // A record in a message has no pointer to its parent, only the parent's id.
        const bool has_parent = records.associations.contains(row.parent_id);
        row.link.level = has_parent ? AssociationLevel::account : AssociationLevel::root;
        if (!has_parent && row.link.account == "root") records.root = id;
    }
    for_each<slurmdb_user_rec_t>(message.user_list, [&](const slurmdb_user_rec_t& user) {
        records.users.insert_or_assign(user.uid, read_user(user));
    });
}

} // namespace

void add_records(AssocRecords& records, OwnedAssocInfo message) {
    if (records.tres == nullptr) records.tres = read_tres(*message);
    const auto& kept =
        records.messages.emplace_back(std::shared_ptr<const assoc_mgr_info_msg_t>(std::move(message)));
    add_rows(records, *kept, refer_to_qos);
}

AssocRecords read_assoc_records(const assoc_mgr_info_msg_t& message, const AccountingConf& conf) {
    AssocRecords records;
    records.tres = read_tres(message);
    records.conf = conf;
    add_rows(records, message,
             [&](const slurmdb_qos_rec_t& record) { return read_qos_row(record, records.tres->size()); });
    return records;
}

bool is_operator(const AssocRecords& records, std::uint32_t user_id) {
    const auto user = records.users.find(user_id);
    return user_id == 0 || user_id == records.conf.slurm_user_id ||
           (user != records.users.end() && user->second.level != quota::AdminLevel::none);
}

model::AccountView view_of(const AssocRecords& records, const quota::Lookup& lookup, RecordsPart& missing) {
    return quota::build_view(CopiedJobRecords(records, lookup, missing), lookup);
}

model::AccountView view_of(const AssocRecords& records, const quota::Lookup& lookup) {
    RecordsPart missing;
    return view_of(records, lookup, missing);
}

void read_records(const AssocRecords& records, const quota::Lookup& lookup, quota::RecordsReader& reader,
                  RecordsPart& missing) {
    reader.read(CopiedJobRecords(records, lookup, missing));
}

void read_records(const AssocRecords& records, const quota::Lookup& lookup, quota::RecordsReader& reader) {
    RecordsPart missing;
    read_records(records, lookup, reader, missing);
}

} // namespace qg::slurm
