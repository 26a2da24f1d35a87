// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/access_tree.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/own_access.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace qg::spec {
namespace {

using model::AssociationRecord;
using model::difference;
using model::NameSet;
using model::own_access;
using model::set_own_access;
using model::usable;

bool is_account(const AssociationRecord& record) {
    return record.name.user.empty();
}

/// The account that an association inherits from.
const std::string& account_above(const AssociationRecord& record) {
    return is_account(record) ? record.parent_account : record.name.account;
}

/// The records, those above before those below, then those that hang on nothing; within a level by name.
std::vector<AssociationRecord> from_the_top(std::vector<AssociationRecord> records) {
    std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    std::map<std::string_view, std::vector<std::size_t>> below;
    NameSet accounts;
    for (std::size_t i = 0; i < records.size(); ++i) {
        below[account_above(records[i])].push_back(i);
        if (is_account(records[i])) accounts.insert(records[i].name.account);
    }
    std::vector<std::size_t> order;
    std::vector<bool> is_placed(records.size());
    const auto place = [&](std::size_t index) {
        if (!is_placed[index]) order.push_back(index);
        is_placed[index] = true;
    };
    for (std::size_t i = 0; i < records.size(); ++i)
        if (!accounts.contains(account_above(records[i]))) place(i);
    for (std::size_t done = 0; done < order.size(); ++done) {
        const AssociationRecord& record = records[order[done]];
        if (const auto found = below.find(record.name.account); is_account(record) && found != below.end())
            std::for_each(found->second.begin(), found->second.end(), place);
    }
    for (std::size_t i = 0; i < records.size(); ++i)
        place(i);

    std::vector<AssociationRecord> sorted;
    sorted.reserve(records.size());
    for (const std::size_t index : order)
        sorted.push_back(std::move(records[index]));
    return sorted;
}

/// What the one above may use. Without one: what is known of an association whose account is hidden.
NameSet qos_above(const AssociationRecord& record, const AssociationRecord* above) {
    if (above != nullptr) return above->qos;
    return record.own_qos ? NameSet() : record.qos;
}

template <typename Map>
std::vector<std::string> keys_of(const Map& map) {
    std::vector<std::string> keys;
    for (const auto& entry : map)
        keys.push_back(entry.first);
    return keys;
}

} // namespace

AccessTree::AccessTree(std::vector<AssociationRecord> records)
    : records_(from_the_top(std::move(records))), parents_(records_.size()) {
    for (std::size_t i = 0; i < records_.size(); ++i) {
        const AssociationRecord& record = records_[i];
        if (const auto above = accounts_.find(account_above(record)); above != accounts_.end())
            parents_[i] = above->second;
        if (is_account(record))
            accounts_.emplace(record.name.account, i);
        else
            users_[record.name.user].push_back(i);
    }
}

std::optional<std::size_t> AccessTree::find_account(std::string_view account) const {
    const auto found = accounts_.find(account);
    return found == accounts_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::size_t> AccessTree::find_user(const std::string& user, const std::string& account,
                                               const std::string& partition) const {
    std::vector<std::size_t> places;
    const auto found = users_.find(user);
    if (found == users_.end()) return places;
    for (const std::size_t index : found->second) {
        const model::AssociationName& name = records_[index].name;
        const bool fits = (account.empty() || name.account == account) &&
                          (partition.empty() || name.partition == partition);
        if (fits) places.push_back(index);
    }
    return places;
}

std::vector<std::string> AccessTree::accounts() const {
    return keys_of(accounts_);
}

std::vector<std::string> AccessTree::users() const {
    return keys_of(users_);
}

AssociationRecord AccessTree::inherit(std::size_t index, const AssociationRecord* above) const {
    AssociationRecord record = records_[index];
    if (above == nullptr || !parents_[index]) return record;
    const AssociationRecord& before = records_[*parents_[index]];
    record.qos = usable(own_access(record), above->qos);
    if (!record.own_default_qos && record.default_qos == before.default_qos)
        record.default_qos = above->default_qos;
    return record;
}

AssociationRecord with_change(AssociationRecord record, const model::AccessChange& change,
                              const AssociationRecord* above) {
    const NameSet upper = qos_above(record, above);
    if (change.default_qos) {
        record.own_default_qos =
            change.default_qos->empty() ? std::nullopt : std::optional(*change.default_qos);
        record.default_qos = record.own_default_qos;
        if (!record.default_qos && above != nullptr) record.default_qos = above->default_qos;
    }
    const auto granted = with_grants(own_access(record), change.granted, upper);
    set_own_access(record, change.own ? *change.own : with_revocations(granted, change.revoked, upper));
    record.qos = usable(own_access(record), upper);
    return record;
}

AssociationRecord without_qos(AssociationRecord record, const NameSet& removed,
                              const AssociationRecord* above) {
    const NameSet upper = difference(qos_above(record, above), removed);
    set_own_access(record, without_deleted(own_access(record), removed, upper));
    record.qos = usable(own_access(record), upper);
    return record;
}

bool has_itself(const AssociationRecord& record, const AssociationRecord* above, const std::string& qos) {
    if (record.own_qos) return record.own_qos->contains(qos);
    return record.added_qos.contains(qos) || (above == nullptr && record.qos.contains(qos));
}

std::string describe(const model::AssociationName& name) {
    if (name.user.empty()) return text::format("account '{}'", text::printable(name.account));
    std::string words =
        text::format("user '{}' in account '{}'", text::printable(name.user), text::printable(name.account));
    if (!name.partition.empty()) words += text::format(", partition '{}'", text::printable(name.partition));
    return words;
}

} // namespace qg::spec
