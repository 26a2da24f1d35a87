// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/admin/association_manager.hpp"

#include "qosgate/admin/apply.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/association_store.hpp"
#include "qosgate/spec/plan.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace qg::admin {
namespace {

using model::AccessChange;
using model::AssociationName;
using model::AssociationRecord;
using Associations = std::vector<AssociationRecord>;

/// The accounts at and below `top`.
std::set<std::string> accounts_of(const Associations& all, const std::string& top) {
    std::multimap<std::string, std::string> below;
    for (const AssociationRecord& one : all)
        if (one.name.user.empty()) below.emplace(one.parent_account, one.name.account);
    std::set<std::string> found;
    std::vector<std::string> open{top};
    while (!open.empty()) {
        const std::string next = open.back();
        open.pop_back();
        if (!found.insert(next).second) continue;
        const auto [first, last] = below.equal_range(next);
        for (auto child = first; child != last; ++child)
            open.push_back(child->second);
    }
    return found;
}

bool is_of(const AssociationName& name, const Holder& holder, const std::set<std::string>& accounts) {
    if (!holder.user.empty())
        return name.user == holder.user && name.partition == holder.partition &&
               (holder.account.empty() || name.account == holder.account);
    if (holder.reach == Holder::Reach::tree) return accounts.contains(name.account);
    return name.user.empty() && name.account == holder.account;
}

/// Errors: not_found, with the near miss.
Error unknown(const Associations& all, const Holder& holder) {
    std::vector<std::string> known;
    for (const AssociationRecord& one : all)
        known.push_back(holder.user.empty() ? one.name.account : one.name.user);
    const std::string& name = holder.user.empty() ? holder.account : holder.user;
    std::string words =
        text::format("{} '{}'", holder.user.empty() ? "account" : "user", text::printable(name));
    if (!holder.user.empty() && !holder.account.empty())
        words += text::format(" in account '{}'", text::printable(holder.account));
    if (!holder.partition.empty())
        words += text::format(" for partition '{}'", text::printable(holder.partition));
    return {ErrorCode::not_found, text::format("there is no {}{}", words, text::did_you_mean(name, known))};
}

/// `change` without what is so already.
AccessChange needed(const AssociationRecord& one, const AccessChange& change) {
    AccessChange left{.name = one.name};
    for (const std::string& qos : change.granted)
        if (!one.qos.contains(qos)) left.granted.insert(qos);
    for (const std::string& qos : change.revoked)
        if (one.qos.contains(qos)) left.revoked.insert(qos);
    if (change.default_qos && *change.default_qos != one.own_default_qos.value_or(""))
        left.default_qos = change.default_qos;
    return left;
}

/// Errors: not_found (a QOS, with the near miss), invalid_input (one that is granted and revoked).
Result<void> expect_clear(const AccessChange& change, std::span<const slurmdb::StoredQos> all) {
    model::NameSet named = change.granted;
    named.insert(change.revoked.begin(), change.revoked.end());
    if (!change.default_qos.value_or("").empty()) named.insert(*change.default_qos);
    for (const std::string& name : named) {
        if (slurmdb::find_qos(all, name) == nullptr) return slurmdb::unknown_qos(all, name);
        if (change.granted.contains(name) && change.revoked.contains(name))
            return Error{
                ErrorCode::invalid_input,
                text::format("QOS '{}' is to be granted and revoked at once", text::printable(name))};
    }
    return {};
}

} // namespace

Result<Associations> AssociationManager::tree() {
    const slurmdb::Transaction fresh(client_->connection());
    const auto all = client_->store().read_all();
    if (!all) return all.error();
    return slurmdb::AssociationStore(client_->connection(), client_->cluster()).read_all(*all);
}

Result<std::vector<AccessChange>> AssociationManager::grant(const std::vector<Holder>& holders,
                                                            const model::NameSet& qos) {
    return change(holders, {.name = {}, .granted = qos});
}

Result<std::vector<AccessChange>> AssociationManager::revoke(const std::vector<Holder>& holders,
                                                             const model::NameSet& qos) {
    return change(holders, {.name = {}, .revoked = qos});
}

Result<std::vector<AccessChange>> AssociationManager::set_default(const std::vector<Holder>& holders,
                                                                  const std::string& qos) {
    return change(holders, {.name = {}, .default_qos = qos});
}

Result<std::vector<AccessChange>> AssociationManager::change(const std::vector<Holder>& holders,
                                                             const AccessChange& change) {
    const auto all = tree();
    if (!all) return all.error();
    const auto qos = client_->store().read_all();
    if (!qos) return qos.error();
    if (const auto clear = expect_clear(change, *qos); !clear) return clear.error();
    spec::Plan plan;
    plan.cluster = client_->cluster();
    std::set<AssociationName> planned;
    for (Holder holder : holders) {
        holder.account = text::lower(holder.account); // as slurmdbd stores it
        const bool is_tree = holder.user.empty() && holder.reach == Holder::Reach::tree;
        const auto accounts = is_tree ? accounts_of(*all, holder.account) : std::set<std::string>();
        bool is_known = false;
        for (const AssociationRecord& one : *all) {
            if (!is_of(one.name, holder, accounts)) continue;
            is_known = true;
            AccessChange left = needed(one, change);
            const bool is_nothing = left == AccessChange{.name = one.name};
            if (is_nothing || !planned.insert(one.name).second) continue;
            plan.access.push_back(std::move(left));
            plan.access_base.push_back(one);
        }
        if (!is_known) return unknown(*all, holder);
    }
    if (plan.access.empty()) return std::vector<AccessChange>();
    const auto done = apply(client_->connection(), plan, [](slurmdb::CommitStep) {}, {});
    if (!done) return done.error();
    return plan.access;
}

} // namespace qg::admin
