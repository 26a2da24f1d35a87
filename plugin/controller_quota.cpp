// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller_quota.hpp"

#include "qosgate/base/built_by.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/limit_facts.hpp"
#include "qosgate/quota/privacy.hpp"
#include "qosgate/slurm/limits.hpp"
#include "qosgate/slurm/room.hpp"
#include "qosgate/slurm/values.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

namespace qg::plugin {
namespace {

using model::AccountView;
using model::LimitFacts;
using model::LimitScope;
using model::LimitSet;

using DefaultAccounts = Guesses<std::uint32_t, std::string>;

/// Deeper account trees do not exist; a cycle in slurmctld's pointers must not hang it here.
constexpr int greatest_depth = 64;

/// Slurm's association for these, or null. Needs the assoc lock.
const slurmdb_assoc_rec_t* find_association(const AssocMgr& manager, std::uint32_t user_id,
                                            const std::string& account, const char* partition) {
    slurmdb_assoc_rec_t wanted{};
    slurmdb_assoc_rec_t* found = nullptr;
    wanted.uid = user_id;
    // Slurm's function takes pointers to non-const but only compares the texts.
    wanted.acct = const_cast<char*>(account.c_str());
    wanted.partition = const_cast<char*>(partition);
    manager.fill_in_assoc(nullptr, &wanted, /*enforce=*/0, &found, /*is_locked=*/true);
    return found;
}

/// Slurm's record of a user, or null. Needs the user lock. Cost: walks the list of all users.
const slurmdb_user_rec_t* find_user(const AssocMgr& manager, std::uint32_t user_id) {
    return slurm::find_first<slurmdb_user_rec_t>(
        *manager.user_list,
        [user_id](const slurmdb_user_rec_t& user) noexcept { return user.uid == user_id; });
}

/// Root, and SlurmUser, as whom slurmctld runs.
bool is_slurm_user(std::uint32_t user_id) {
    return user_id == 0 || user_id == geteuid();
}

/// Whether slurmctld lets this user change jobs past all limits. Needs the user lock.
bool has_operator_rights(const AssocMgr& manager, std::uint32_t user_id) {
    if (is_slurm_user(user_id)) return true;
    const slurmdb_user_rec_t* user = find_user(manager, user_id);
    return user != nullptr && user->admin_level >= SLURMDB_ADMIN_OPERATOR;
}

/// Finds the association of a job the way slurmctld does, and who the user is.
class AssociationSearch {
  public:
    AssociationSearch(const AssocMgr& manager, DefaultAccounts& defaults, const quota::Lookup& lookup)
        : manager_(manager), defaults_(defaults), user_id_(lookup.user_id),
          partition_(lookup.partitions.empty() ? nullptr : lookup.partitions.front()->name.c_str()) {}

    /// Leaves the user's name and the account used in the view.
    const slurmdb_assoc_rec_t* run(std::string_view account, AccountView& view) {
        const slurmdb_assoc_rec_t* found =
            account.empty() ? of_default_account(view) : of_account(account, view);
        // Without `associations` in AccountingStorageEnforce an account the user is not in counts as none
        // given.
        if (found == nullptr && !account.empty() && !view.enforce.associations)
            found = of_default_account(view);
        if (found != nullptr) {
            view.user_name = slurm::view_text(found->user);
            view.account = slurm::view_text(found->acct);
        } else if (const slurmdb_user_rec_t* user = find_user(manager_, user_id_)) {
            view.user_name = slurm::view_text(user->name);
        }
        return found;
    }

  private:
    const slurmdb_assoc_rec_t* of_account(std::string_view account, AccountView& view) {
        view.account = account;
        return find_association(manager_, user_id_, view.account, partition_);
    }

    const slurmdb_assoc_rec_t* of_default_account(AccountView& view) {
        if (const auto guess = defaults_.find(user_id_)) {
            const slurmdb_assoc_rec_t* found = find_association(manager_, user_id_, *guess, partition_);
            if (found != nullptr && found->is_def == 1) return found;
        }
        const slurmdb_user_rec_t* user = find_user(manager_, user_id_);
        if (user == nullptr || slurm::view_text(user->default_acct).empty()) return nullptr;
        view.account = user->default_acct;
        defaults_.remember(user_id_, view.account);
        return find_association(manager_, user_id_, view.account, partition_);
    }

    const AssocMgr& manager_;
    DefaultAccounts& defaults_;
    std::uint32_t user_id_;
    const char* partition_; ///< the first one's name; null: none
};

/// Some of the user's accounts, sorted. Needs the assoc lock. Cost: looks at a bounded number of
/// associations.
[[gnu::cold]] std::vector<std::string> accounts_of(const AssocMgr& manager, std::uint32_t user_id) {
    constexpr std::size_t most_looked_at = 10000;
    if (manager.assoc_list == nullptr) return {};
    std::array<const slurmdb_assoc_rec_t*, 16> found{};
    std::size_t count = 0;
    std::size_t looked_at = 0;
    slurm::find_first<slurmdb_assoc_rec_t>(*manager.assoc_list,
                                           [&](const slurmdb_assoc_rec_t& link) noexcept {
                                               if (link.user != nullptr && link.uid == user_id)
                                                   found[count++] = &link;
                                               return ++looked_at == most_looked_at || count == found.size();
                                           });
    std::vector<std::string> accounts;
    for (const slurmdb_assoc_rec_t* link : std::span(found).first(count))
        accounts.emplace_back(slurm::view_text(link->acct));
    std::ranges::sort(accounts);
    const auto repeated = std::ranges::unique(accounts);
    accounts.erase(repeated.begin(), repeated.end());
    return accounts;
}

// What usage of a user counts for: limits per user, and saying how much of a group's usage is the user's.
constexpr LimitSet user_limits = model::limits_where([](const LimitFacts& facts) {
    return facts.scope == LimitScope::user || (facts.scope == LimitScope::group && !facts.counts_the_past());
});
constexpr LimitSet account_limits =
    model::limits_where([](const LimitFacts& facts) { return facts.scope == LimitScope::account; });

/// What is known of slurmctld's records. Needs the assoc, qos and tres locks.
std::optional<RecordsState> read_state(const AssocMgr& manager) {
    const bool is_known = slurm::known_to_keep_records && manager.behind_greatest_qos_id != nullptr &&
                          manager.running_cache != nullptr && *manager.running_cache == 0;
    if (!is_known) return std::nullopt;
    return RecordsState{*manager.qos_list, *manager.root_assoc, slurm_list_count(*manager.qos_list),
                        *manager.behind_greatest_qos_id, *manager.tres_names};
}

/// Copies QOSs into a view, each once.
class QosCopier {
  public:
    QosCopier(AccountView& view, std::uint32_t user_id) : view_(view), user_id_(user_id) {}

    /// The index of the QOS in the view; nothing for a null record.
    std::optional<std::size_t> add(const slurmdb_qos_rec_t* record) {
        if (record == nullptr) return std::nullopt;
        const auto seen = std::find_if(view_.qos.begin(), view_.qos.end(),
                                       [&](const model::Qos& qos) { return qos.id == record->id; });
        if (seen != view_.qos.end()) return static_cast<std::size_t>(seen - view_.qos.begin());
        model::Qos& qos =
            view_.qos.emplace_back(BuiltBy([&] { return slurm::read_qos(*record, view_.tres->size()); }));
        if (record->usage != nullptr) add_usage(qos, *record->usage);
        return view_.qos.size() - 1;
    }

  private:
    void add_usage(model::Qos& qos, const slurmdb_qos_usage_t& usage) {
        const std::size_t tres_count = std::min<std::size_t>(usage.tres_cnt, view_.tres->size());
        const LimitSet limits = qos.limits.which();
        const auto read = [&](const slurmdb_used_limits_t* used) {
            return used == nullptr ? model::Usage{} : slurm::read_usage(*used, tres_count, limits);
        };
        if (limits.meets(user_limits)) qos.user_usage = read(slurm::usage_of_user(usage, user_id_));
        if (limits.meets(account_limits))
            qos.account_usage = read(slurm::usage_of_account(usage, view_.account));
    }

    AccountView& view_;
    std::uint32_t user_id_;
};

/// Calls `body(link)` for an association and those above it.
template <typename Body>
void for_each_link(const slurmdb_assoc_rec_t* link, Body body) {
    for (int depth = 0; link != nullptr && depth < greatest_depth; ++depth) {
        body(*link);
        link = link->usage == nullptr ? nullptr : link->usage->parent_assoc_ptr;
    }
}

/// Adds the associations from the user to the root. The user's usage is also its share of the others'.
void copy_chain(std::vector<model::Association>& chain, const slurmdb_assoc_rec_t* association,
                std::size_t tres_count) {
    constexpr std::size_t usual_depth = 3;
    chain.reserve(usual_depth);
    LimitSet above_user;
    for_each_link(association, [&](const slurmdb_assoc_rec_t& link) {
        const bool is_above = !chain.empty();
        chain.emplace_back(BuiltBy([&] { return slurm::read_association(link, tres_count); }));
        if (is_above) above_user += chain.back().limits.which();
    });
    if (!above_user.is_empty() && association->usage != nullptr)
        chain.front().usage =
            slurm::read_usage(*association->usage, tres_count, above_user + chain.front().limits.which());
}

/// Why a job has its QOS, and its name and flags.
void describe_job_qos(AccountView& view, const quota::ChosenQos& chosen, const slurmdb_qos_rec_t* record) {
    view.job_qos.is_default = chosen.is_default;
    view.job_qos.problem = chosen.problem;
    view.job_qos.name = record == nullptr ? chosen.asked : slurm::view_text(record->name);
    if (record != nullptr) view.job_qos.flags = slurm::read_qos_flags(record->flags);
}

/// Whether a partition asks for the job's accounts, up to the root.
bool asks_for_accounts(const model::PartitionChoice& choice) {
    return !choice.partition->allow_accounts.empty() || !choice.partition->deny_accounts.empty();
}

/// The QOS of one of the view's partitions.
struct PartitionQos {
    std::size_t partition;
    const slurmdb_qos_rec_t* record;
};

/// Slurm's records of one job: its association, or null, and the QOSs that it meets.
struct Records {
    const slurmdb_assoc_rec_t* association = nullptr;
    const slurmdb_qos_rec_t* job_qos = nullptr; ///< null: none
    std::vector<PartitionQos> partition_qos;    ///< of the partitions that have one
};

/// Whether all limits leave room for the job.
bool leaves_room(const AccountView& view, const quota::Lookup& lookup, const Records& records) {
    if (!view.enforce.limits) return true;
    const model::Demand demand = lookup.counting->demand(view);
    const slurm::Room room(demand, lookup.user_id, view.account);
    if (records.job_qos != nullptr && !room.is_left_by(*records.job_qos)) return false;
    for (const PartitionQos& qos : records.partition_qos)
        if (!room.is_left_by(*qos.record)) return false;
    bool is_left = true;
    for_each_link(records.association,
                  [&](const slurmdb_assoc_rec_t& link) { is_left = is_left && room.is_left_by(link); });
    return is_left;
}

/// Copies the names of the associations where a partition asks for accounts.
void copy_account_names(AccountView& view, const slurmdb_assoc_rec_t* association) {
    if (std::ranges::none_of(view.partitions, asks_for_accounts)) return;
    for_each_link(association, [&](const slurmdb_assoc_rec_t& link) {
        view.associations.push_back(slurm::name_association(link));
    });
}

/// Copies limits and usage.
void copy_whole(AccountView& view, const Records& records, const quota::ChosenQos& chosen,
                const ControllerFacts& facts, std::uint32_t user_id) {
    copy_chain(view.associations, records.association, view.tres->size());
    QosCopier copier(view, user_id);
    view.job_qos.qos = copier.add(records.job_qos);
    for (const std::uint32_t id : chosen.more)
        if (const auto index = copier.add(facts.record(id))) view.job_qos.more.push_back(*index);
    for (const PartitionQos& qos : records.partition_qos)
        view.partitions[qos.partition].qos = copier.add(qos.record);
}

/// The accounts that a user coordinates. Needs the user lock, as long as they are looked at.
std::vector<std::string_view> coordinated_accounts(const AssocMgr& manager, std::uint32_t user_id) {
    std::vector<std::string_view> names;
    if (const slurmdb_user_rec_t* user = find_user(manager, user_id))
        slurm::for_each<slurmdb_coord_rec_t>(user->coord_accts, [&](const slurmdb_coord_rec_t& account) {
            names.push_back(slurm::view_text(account.name));
        });
    return names;
}

/// Whether some of the job's partitions are hidden from users.
bool hides_partition(const AccountView& view, model::PrivateData hidden) {
    return !std::ranges::all_of(view.partitions, [hidden](const model::PartitionChoice& choice) {
        return quota::is_shown(*choice.partition, hidden);
    });
}

/// Marks what is hidden from whoever reads the answer. Needs the user lock.
[[gnu::cold]] void hide_from_reader(AccountView& view, const AssocMgr& manager, const quota::Lookup& lookup) {
    const model::PrivateData hidden = manager.private_data == nullptr
                                          ? quota::all_private
                                          : slurm::read_private_data(*manager.private_data);
    if (view.leaves_room && !lookup.names_others && !hides_partition(view, hidden)) {
        view.hidden = hidden; // from operators as well: hardly a word is said of such a job
        return;
    }
    view.reader_is_operator = has_operator_rights(manager, lookup.reader);
    if (view.reader_is_operator) return;
    const auto coordinates = coordinated_accounts(manager, lookup.reader);
    quota::hide_private_data(view, hidden, {lookup.reader == lookup.user_id, coordinates});
}

} // namespace

std::shared_ptr<const model::TresCatalogue> ControllerQuota::tres_catalogue(Epoch now) const {
    // In this order: a catalogue that is younger than its epoch will do, too.
    const Epoch compared = tres_epoch_.load(std::memory_order_acquire);
    auto known = tres_.get();
    if (compared == now && now != unknown_epoch) return known;

    const std::span<char*> array(*manager_->tres_names, *manager_->tres_count);
    const auto is_same = [](const std::string& before, const char* name) {
        return before.compare(name == nullptr ? "" : name) == 0;
    };
    if (known == nullptr || !std::ranges::equal(known->names(), array, is_same)) {
        std::vector<std::string> names;
        for (const char* name : array)
            names.emplace_back(slurm::view_text(name));
        known = std::make_shared<const model::TresCatalogue>(std::move(names));
        tres_.publish(known);
    }
    tres_epoch_.store(now, std::memory_order_release);
    return known;
}

Result<AccountView> ControllerQuota::check(const quota::Lookup& lookup) const {
    if (!manager_) return manager_.error();
    const AssocMgrReadLock lock(*manager_);
    if (*manager_->qos_list == nullptr || *manager_->tres_names == nullptr)
        return manager_->keeps_accounts
                   ? Error{ErrorCode::unavailable, "slurmctld has no QOS records yet"}
                   : Error{ErrorCode::not_found,
                           "this slurmctld has no slurmdbd, and so no QOS and no account"};
    return Result<AccountView>(BuiltBy([&] { return view_of(*manager_, lookup); }));
}

bool ControllerQuota::is_operator(std::uint32_t user_id) const {
    if (is_slurm_user(user_id)) return true;
    if (!manager_) return false;
    const AssocMgrReadLock lock(*manager_);
    return has_operator_rights(*manager_, user_id);
}

bool ControllerQuota::may_change(std::uint32_t user_id, std::uint32_t owner, std::string_view account) const {
    if (user_id == owner || is_slurm_user(user_id)) return true;
    if (!manager_) return true; // who knows: then the rules decide
    const AssocMgrReadLock lock(*manager_);
    if (has_operator_rights(*manager_, user_id)) return true;
    return std::ranges::any_of(coordinated_accounts(*manager_, user_id),
                               [account](std::string_view name) { return text::iequals(name, account); });
}

AccountView ControllerQuota::view_of(const AssocMgr& manager, const quota::Lookup& lookup) const {
    const Epoch now = epochs_.enter(read_state(manager));
    AccountView view;
    view.tres = tres_catalogue(now);
    view.enforce = slurm::read_enforce(*manager.enforce);
    Records records;
    records.association = AssociationSearch(manager, default_accounts_, lookup).run(lookup.account, view);
    view.requester_is_operator = lookup.requester && has_operator_rights(manager, *lookup.requester);

    const QosList qos_list(*manager.qos_list, qos_guesses_, now);
    const ControllerFacts facts(qos_list, records.association, *manager.root_assoc);
    const quota::ChosenQos chosen = quota::choose_qos(
        facts, {lookup.qos, lookup.has_reservation, lookup.takes_qos_lists, view.requester_is_operator},
        view.enforce);
    records.job_qos = chosen.id ? facts.record(*chosen.id) : nullptr;
    describe_job_qos(view, chosen, records.job_qos);
    view.partitions.reserve(lookup.partitions.size());
    for (const auto& partition : lookup.partitions) {
        const auto* qos = partition->qos.empty() ? nullptr : qos_list.find(partition->qos);
        if (qos != nullptr) records.partition_qos.push_back({view.partitions.size(), qos});
        view.partitions.push_back({partition, std::nullopt});
    }

    const bool is_settled =
        records.association != nullptr && chosen.more.empty() && chosen.problem == model::QosProblem::none;
    view.leaves_room = lookup.counting != nullptr && is_settled && leaves_room(view, lookup, records);
    if (view.leaves_room)
        copy_account_names(view, records.association);
    else
        copy_whole(view, records, chosen, facts, lookup.user_id);
    if (chosen.problem != model::QosProblem::none || lookup.lists_alternatives)
        view.permitted_qos = qos_list.permitted_names(facts);
    if (lookup.lists_alternatives || records.association == nullptr)
        view.accounts = accounts_of(manager, lookup.user_id);
    const bool is_private = manager.private_data == nullptr || *manager.private_data != 0;
    if (is_private || lookup.names_others || hides_partition(view, {}))
        hide_from_reader(view, manager, lookup);
    return view;
}

} // namespace qg::plugin
