// SPDX-License-Identifier: GPL-2.0-or-later
#include "records/controller_records.hpp"

#include "qosgate/base/with_result_of.hpp"
#include "qosgate/model/limit_facts.hpp"
#include "qosgate/quota/privacy.hpp"
#include "qosgate/slurm/accounting_records.hpp"
#include "qosgate/slurm/headroom.hpp"
#include "qosgate/slurm/values.hpp"
#include "records/controller_users.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace qg::plugin {
namespace {

using model::LimitFacts;
using model::LimitScope;
using model::LimitSet;

/// No account tree is deeper. The bound ends the walk if slurmctld's pointers form a cycle.
constexpr int max_depth = 64;

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

/// The associations of a user.
struct OwnLinks {
    std::vector<const slurmdb_assoc_rec_t*> all;
    bool is_complete = true;
};

/// Needs the assoc lock. Cost: linear in the associations that are looked at.
[[gnu::cold]] OwnLinks find_own_links(const AssocMgr& manager, std::uint32_t user_id,
                                      quota::AccountBounds bounds) {
    OwnLinks own;
    if (manager.assoc_list == nullptr) return own;
    // Slurm walks the list; an exception must not pass through its code.
    own.all.resize(bounds.found);
    std::size_t count = 0;
    std::size_t checked = 0;
    slurm::find_first<slurmdb_assoc_rec_t>(
        *manager.assoc_list, [&](const slurmdb_assoc_rec_t& link) noexcept {
            const bool is_own = link.user != nullptr && link.uid == user_id;
            own.is_complete = checked < bounds.checked && (!is_own || count < own.all.size());
            if (!own.is_complete) return true;
            ++checked;
            if (is_own) own.all[count++] = &link;
            return false;
        });
    own.all.resize(count);
    return own;
}

// The limits that need a user's usage: limits per user, and limits whose message says how much of a group's
// usage is the user's.
constexpr LimitSet user_limits = model::limits_where([](const LimitFacts& facts) {
    return facts.scope == LimitScope::user || (facts.scope == LimitScope::group && !facts.counts_the_past());
});
constexpr LimitSet account_limits =
    model::limits_where([](const LimitFacts& facts) { return facts.scope == LimitScope::account; });

/// Calls `body(link)` for an association and those above it.
template <typename Body>
void for_each_link(const slurmdb_assoc_rec_t* link, Body body) {
    for (int depth = 0; link != nullptr && depth < max_depth; ++depth) {
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
        chain.emplace_back(WithResultOf([&] { return slurm::read_association(link, tres_count); }));
        if (is_above) above_user += chain.back().limits.which();
    });
    if (!above_user.is_empty() && association->usage != nullptr)
        chain.front().usage =
            slurm::read_usage(*association->usage, tres_count, above_user + chain.front().limits.which());
}

} // namespace

ControllerRecords::ControllerRecords(const AssocMgr& manager, RecordsCache& cache, Generation generation,
                                     const quota::Lookup& lookup)
    : manager_(manager), cache_(cache), generation_(generation), lookup_(lookup),
      qos_list_(*manager.qos_list, cache, generation), enforce_(slurm::read_enforce(*manager.enforce)),
      account_(lookup.account) {
    association_ = account_.empty() ? of_default_account() : of_account(std::string(account_));
    // Without `associations` in AccountingStorageEnforce, an account that the user is not in counts as no
    // account.
    if (association_ == nullptr && !lookup.account.empty() && !enforce_.associations)
        association_ = of_default_account();
    if (association_ != nullptr) {
        user_name_ = slurm::view_text(association_->user);
        account_ = slurm::view_text(association_->acct);
    } else if (const slurmdb_user_rec_t* user = find_user(manager, lookup.user_id)) {
        user_name_ = slurm::view_text(user->name);
    }
}

const slurmdb_assoc_rec_t* ControllerRecords::of_account(const std::string& account) const {
    const char* partition = lookup_.partitions.empty() ? nullptr : lookup_.partitions.front()->name.c_str();
    return find_association(manager_, lookup_.user_id, account, partition);
}

const slurmdb_assoc_rec_t* ControllerRecords::of_default_account() {
    if (const auto account = cache_.find_default_account(lookup_.user_id)) {
        const slurmdb_assoc_rec_t* found = of_account(*account);
        if (found != nullptr && found->is_def == 1) return found;
    }
    return look_up_default_account();
}

[[gnu::cold]] const slurmdb_assoc_rec_t* ControllerRecords::look_up_default_account() {
    const slurmdb_user_rec_t* user = find_user(manager_, lookup_.user_id);
    if (user == nullptr || slurm::view_text(user->default_acct).empty()) return nullptr;
    account_ = user->default_acct;
    const std::string account(account_);
    cache_.remember_default_account(lookup_.user_id, account);
    return of_account(account);
}

std::shared_ptr<const model::TresCatalogue> ControllerRecords::tres() const {
    return cache_.tres(generation_, {*manager_.tres_names, *manager_.tres_count});
}

model::PrivateData ControllerRecords::private_data() const {
    return manager_.private_data == nullptr ? quota::all_private
                                            : slurm::read_private_data(*manager_.private_data);
}

std::vector<model::Association> ControllerRecords::name_associations() const {
    std::vector<model::Association> chain;
    for_each_link(association_, [&](const slurmdb_assoc_rec_t& link) {
        chain.push_back(slurm::read_association_names(link));
    });
    return chain;
}

std::vector<model::Association> ControllerRecords::copy_associations() const {
    std::vector<model::Association> chain;
    copy_chain(chain, association_, *manager_.tres_count);
    return chain;
}

bool ControllerRecords::has_same_association(const std::string& partition) const {
    return find_association(manager_, lookup_.user_id, std::string(account_), partition.c_str()) ==
           association_;
}

std::string_view ControllerRecords::qos_name(std::uint32_t qos) const {
    return slurm::view_text(record(qos)->name);
}

std::vector<model::Association> ControllerRecords::copy_associations_with_usage() const {
    std::vector<model::Association> chain;
    for_each_link(association_, [&](const slurmdb_assoc_rec_t& link) {
        chain.push_back(slurm::read_association(link, *manager_.tres_count, LimitSet::all()));
    });
    return chain;
}

model::Qos ControllerRecords::copy_qos(std::uint32_t id) const {
    return copy_qos(id, {});
}

model::Qos ControllerRecords::copy_qos_with_usage(std::uint32_t id) const {
    return copy_qos(id, LimitSet::all());
}

model::Qos ControllerRecords::copy_qos(std::uint32_t id, LimitSet also_against) const {
    const slurmdb_qos_rec_t& source = *record(id);
    model::Qos qos = slurm::read_qos(source, *manager_.tres_count, also_against);
    if (source.usage == nullptr) return qos;
    const std::size_t tres_count = std::min<std::size_t>(source.usage->tres_cnt, *manager_.tres_count);
    const LimitSet limits = qos.limits.which() + also_against;
    const auto read = [&](const slurmdb_used_limits_t* used) {
        return used == nullptr ? model::Usage{} : slurm::read_usage(*used, tres_count, limits);
    };
    if (limits.intersects(user_limits))
        qos.user_usage = read(slurm::usage_of_user(*source.usage, lookup_.user_id));
    if (limits.intersects(account_limits))
        qos.account_usage = read(slurm::usage_of_account(*source.usage, account_));
    return qos;
}

bool ControllerRecords::is_within_limits(const model::AccountView& view,
                                         std::span<const std::uint32_t> qos) const {
    const auto bounds = lookup_.job_bounds->bounds(view);
    if (!bounds || !view.enforce.limits) return bounds.has_value();
    const slurm::Headroom headroom(*bounds, lookup_.user_id, account_);
    for (const std::uint32_t id : qos)
        if (!headroom.suffices_for(*record(id))) return false;
    bool fits = true;
    for_each_link(association_,
                  [&](const slurmdb_assoc_rec_t& link) { fits = fits && headroom.suffices_for(link); });
    return fits;
}

std::vector<std::string> ControllerRecords::permitted_names() const {
    return qos_list_.permitted_names(*this);
}

quota::UserAccounts ControllerRecords::accounts(quota::AccountBounds bounds) const {
    const OwnLinks own = find_own_links(manager_, lookup_.user_id, bounds);
    quota::UserAccounts accounts;
    accounts.is_complete = own.is_complete;
    for (const slurmdb_assoc_rec_t* link : own.all)
        accounts.all.push_back(
            {std::string(slurm::view_text(link->acct)), std::string(slurm::view_text(link->partition))});
    return accounts;
}

quota::JobCounts ControllerRecords::count_jobs_of_user(quota::AccountBounds bounds) const {
    const OwnLinks own = find_own_links(manager_, lookup_.user_id, bounds);
    quota::JobCounts counts;
    counts.is_complete = own.is_complete;
    for (const slurmdb_assoc_rec_t* link : own.all) {
        if (link->usage == nullptr) continue;
        counts.running += link->usage->used_jobs;
        counts.submitted += link->usage->used_submit_jobs;
    }
    return counts;
}

std::string ControllerRecords::default_account() const {
    const slurmdb_user_rec_t* user = find_user(manager_, lookup_.user_id);
    return user == nullptr ? std::string() : std::string(slurm::view_text(user->default_acct));
}

bool ControllerRecords::is_operator(std::uint32_t user_id) const {
    return has_operator_rights(manager_, user_id);
}

quota::UserRecord ControllerRecords::copy_user(std::uint32_t user_id) const {
    quota::UserRecord copy;
    if (const slurmdb_user_rec_t* user = find_user(manager_, user_id)) copy = slurm::read_user(*user);
    copy.id = user_id;
    if (is_slurm_user(user_id)) copy.level = quota::AdminLevel::administrator;
    return copy;
}

std::vector<std::string_view> ControllerRecords::coordinated_accounts(std::uint32_t user_id) const {
    return plugin::coordinated_accounts(manager_, user_id);
}

const slurmdb_qos_rec_t* ControllerRecords::record(std::uint32_t qos) const {
    if (last_ == nullptr || last_->id != qos) last_ = qos_list_.find(qos);
    return last_;
}

std::optional<std::uint32_t> ControllerRecords::find(std::string_view name) const {
    last_ = qos_list_.find(name);
    return last_ == nullptr ? std::nullopt : std::optional(last_->id);
}

bitstr_t* ControllerRecords::valid_qos() const noexcept {
    return association_ == nullptr || association_->usage == nullptr ? nullptr
                                                                     : association_->usage->valid_qos;
}

std::optional<std::uint32_t> ControllerRecords::association_default() const {
    // slurmctld uses an association's default QOS only if its list of QOSs is known.
    if (valid_qos() == nullptr || association_->def_qos_id == 0) return std::nullopt;
    return association_->def_qos_id;
}

std::optional<std::uint32_t> ControllerRecords::root_default() const {
    const slurmdb_assoc_rec_t* root = *manager_.root_assoc;
    return root == nullptr || root->def_qos_id == 0 ? std::nullopt : std::optional(root->def_qos_id);
}

bool ControllerRecords::is_permitted(std::uint32_t qos) const {
    bitstr_t* const bits = valid_qos();
    return bits != nullptr && qos < slurm_bit_size(bits) && slurm_bit_test(bits, qos) != 0;
}

std::optional<std::uint32_t> ControllerRecords::only_permitted() const {
    std::optional<std::uint32_t> only;
    bitstr_t* const bits = valid_qos();
    const std::int64_t size = bits == nullptr ? 0 : slurm_bit_size(bits);
    for (std::int64_t id = 0; id < size; ++id) {
        if (slurm_bit_test(bits, id) == 0) continue;
        if (only) return std::nullopt;
        only = static_cast<std::uint32_t>(id);
    }
    return only;
}

model::QosFlags ControllerRecords::flags(std::uint32_t qos) const {
    const slurmdb_qos_rec_t* const found = record(qos);
    return found == nullptr ? model::QosFlags{} : slurm::read_qos_flags(found->flags);
}

std::uint32_t ControllerRecords::priority(std::uint32_t qos) const {
    const slurmdb_qos_rec_t* const found = record(qos);
    return found == nullptr ? 0 : found->priority;
}

bool ControllerRecords::is_partition_qos(std::uint32_t qos) const {
    const slurmdb_qos_rec_t* const found = record(qos);
    return found != nullptr && (static_cast<std::uint32_t>(found->flags) & slurm::qos_flag_of_partition) != 0;
}

} // namespace qg::plugin
