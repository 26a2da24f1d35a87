// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/association_tree.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/own_access.hpp"

#include <algorithm>
#include <tuple>

namespace qg::slurmdb {
namespace {

using model::AccessChange;
using model::AssociationName;
using model::AssociationRecord;
using model::difference;
using model::NameSet;
using Kind = AccessWrite::Kind;

/// Slurm allows no tree that is deeper; a stored one could be a circle.
constexpr std::size_t max_depth = 1000;

auto key_of(const AssociationName& name) {
    return std::tie(name.account, name.user, name.partition);
}

bool sorts_before(const StoredAssociation& a, const StoredAssociation& b) {
    return key_of(a.name) < key_of(b.name);
}

model::OwnAccess own_of(const StoredAssociation& one) {
    return {one.whole, one.added, one.removed};
}

void set_own(StoredAssociation& one, model::OwnAccess own) {
    one.whole = std::move(own.whole);
    one.added = std::move(own.added);
    one.removed = std::move(own.removed);
}

std::vector<std::string> list_of(const NameSet& names) {
    return {names.begin(), names.end()};
}

/// The QOSs that differ from the list above.
NameSet entries_of(const model::OwnAccess& own) {
    NameSet entries = own.added;
    entries.insert(own.removed.begin(), own.removed.end());
    return entries;
}

/// Whether a list of its own ends, or a difference, so that `left` cannot be made by adding to it.
bool ends_differences(const model::OwnAccess& own, const model::OwnAccess& left) {
    if (!left.whole.empty()) return false;
    return !own.whole.empty() || !difference(entries_of(own), entries_of(left)).empty();
}

/// "-name" and "+name", in the order in which slurmctld finds all of them.
std::vector<std::string> signed_words(const NameSet& added, const NameSet& removed) {
    std::vector<std::string> words;
    for (const std::string& qos : removed)
        words.push_back("-" + qos);
    for (const std::string& qos : added)
        words.push_back("+" + qos);
    return words;
}

/// What of the list and the default above a change reaches an association.
struct Inherited {
    NameSet qos;
    bool has_default = false;

    [[nodiscard]] bool is_nothing() const { return qos.empty() && !has_default; }

    /// The part that `one` passes on: without what it has itself.
    [[nodiscard]] Inherited through(const StoredAssociation& one) const {
        Inherited left{.qos = {}, .has_default = has_default && !one.own_default};
        if (!one.whole.empty()) return left;
        for (const std::string& name : qos)
            if (!one.added.contains(name) && !one.removed.contains(name)) left.qos.insert(name);
        return left;
    }
};

/// What each account below the changed ones inherits of the changes.
class InheritedBelow {
  public:
    InheritedBelow(std::span<const StoredAssociation> all, std::span<const AccessChange> changes,
                   const NameSet& every_qos) {
        for (const StoredAssociation& one : all)
            if (one.name.user.empty() && !one.parent_account.empty())
                below_[one.parent_account].push_back(&one);
        for (const AccessChange& change : changes) {
            if (!change.name.user.empty()) continue;
            Inherited passed{.qos = change.granted, .has_default = change.default_qos.has_value()};
            passed.qos.insert(change.revoked.begin(), change.revoked.end());
            if (change.own) passed.qos = every_qos; // what it had before is not known any more
            go_down(change.name.account, passed, 0);
        }
    }

    [[nodiscard]] const std::map<std::string, Inherited>& accounts() const noexcept { return accounts_; }

  private:
    void go_down(const std::string& account, const Inherited& passed, std::size_t depth) {
        const auto children = below_.find(account);
        if (children == below_.end() || depth == max_depth) return;
        for (const StoredAssociation* child : children->second) {
            const Inherited left = passed.through(*child);
            if (left.is_nothing()) continue;
            Inherited& known = accounts_[child->name.account];
            known.qos.insert(left.qos.begin(), left.qos.end());
            known.has_default |= left.has_default;
            go_down(child->name.account, left, depth + 1);
        }
    }

    std::map<std::string, std::vector<const StoredAssociation*>> below_;
    std::map<std::string, Inherited> accounts_;
};

} // namespace

/// Calls in the making: equal changes share one.
class AccessWrites {
  public:
    void add(Kind kind, const StoredAssociation& one, std::vector<std::string> qos, std::size_t depth = 0) {
        if (qos.empty()) return;
        const bool is_of_users = !one.name.user.empty();
        calls_[{kind, depth, is_of_users, std::move(qos)}].insert(one.id);
    }

    /// Each word with "+" in a call of its own: slurmctld finds no other word of a call after one that it has
    /// already, and then adds that twice.
    void add_apart(Kind kind, const StoredAssociation& one, const std::vector<std::string>& words,
                   std::size_t depth = 0) {
        std::vector<std::string> together;
        for (const std::string& word : words) {
            if (word.front() == '-')
                together.push_back(word);
            else
                add(kind, one, {word}, depth);
        }
        add(kind, one, std::move(together), depth);
    }

    /// Grants first and revocations last, so that a default is among the QOSs at any time. Defaults from the
    /// top down: what clears its own is told the one above as it is then. Lists from the bottom up: an
    /// account above passes its list on to what has none.
    [[nodiscard]] std::vector<AccessWrite> in_order() const {
        std::vector<AccessWrite> all;
        for (const auto& [key, ids] : calls_)
            all.push_back(
                {std::get<Kind>(key), std::get<bool>(key), std::get<3>(key), {ids.begin(), ids.end()}});
        return all;
    }

  private:
    std::map<std::tuple<Kind, std::size_t, bool, std::vector<std::string>>, std::set<std::uint32_t>> calls_;
};

bool depends_on_order(std::span<const AccessChange> changes) {
    const auto grants = [](const AccessChange& change) { return !change.granted.empty(); };
    const auto revokes = [](const AccessChange& change) { return !change.revoked.empty(); };
    const auto sets_default = [](const AccessChange& change) { return change.default_qos.has_value(); };
    const auto sets_own = [](const AccessChange& change) { return change.own.has_value(); };
    if (std::ranges::any_of(changes, sets_own)) return true;
    return int{std::ranges::any_of(changes, grants)} + int{std::ranges::any_of(changes, revokes)} +
               int{std::ranges::any_of(changes, sets_default)} >
           1;
}

std::string describe(const AssociationName& association) {
    std::string words;
    if (!association.user.empty()) words += text::format("user {} in ", text::printable(association.user));
    words += text::format("account {}", text::printable(association.account));
    if (!association.partition.empty())
        words += text::format(", partition {}", text::printable(association.partition));
    return words + text::format(" of cluster {}", text::printable(association.cluster));
}

AssociationTree::AssociationTree(std::vector<StoredAssociation> all) : all_(std::move(all)) {
    std::sort(all_.begin(), all_.end(), sorts_before);
}

const StoredAssociation* AssociationTree::find(const AssociationName& name) const {
    const auto place = std::lower_bound(
        all_.begin(), all_.end(), name,
        [](const StoredAssociation& one, const AssociationName& n) { return key_of(one.name) < key_of(n); });
    return place == all_.end() || place->name != name ? nullptr : &*place;
}

StoredAssociation* AssociationTree::find(const AssociationName& name) {
    return const_cast<StoredAssociation*>(std::as_const(*this).find(name));
}

const StoredAssociation* AssociationTree::above(const StoredAssociation& one) const {
    const std::string& account = one.name.user.empty() ? one.parent_account : one.name.account;
    if (account.empty()) return nullptr;
    return find({.cluster = one.name.cluster, .account = account});
}

std::size_t AssociationTree::depth_of(const StoredAssociation& one) const {
    std::size_t depth = 0;
    for (const auto* upper = above(one); upper != nullptr && depth < max_depth; upper = above(*upper))
        ++depth;
    return depth;
}

AssociationTree::Access AssociationTree::access_of(const StoredAssociation& one) const {
    std::vector<const StoredAssociation*> line; // up to the one with a list of its own
    const StoredAssociation* giver = &one;
    for (; giver != nullptr && giver->whole.empty() && line.size() < max_depth; giver = above(*giver))
        line.push_back(giver);
    Access access;
    if (giver != nullptr) access.qos = giver->whole;
    for (auto next = line.rbegin(); next != line.rend(); ++next) {
        for (const std::string& qos : (*next)->removed)
            access.qos.erase(qos);
        access.qos.insert((*next)->added.begin(), (*next)->added.end());
    }
    access.default_qos = default_of(one);
    return access;
}

std::optional<std::string> AssociationTree::default_of(const StoredAssociation& one) const {
    const StoredAssociation* giver = &one;
    for (std::size_t depth = 0; giver != nullptr && depth < max_depth; giver = above(*giver), ++depth)
        if (giver->own_default) return giver->own_default;
    return {};
}

/// Whether one of `names` is the default of `one`, or of an association below.
bool AssociationTree::has_default_among(const StoredAssociation& one, const NameSet& names) const {
    const auto is_named = [&](const std::optional<std::string>& name) {
        return name && names.contains(*name);
    };
    const auto is_below = [&](const StoredAssociation& other) {
        const StoredAssociation* upper = above(other);
        for (std::size_t depth = 0; upper != nullptr && upper != &one && depth < max_depth; ++depth)
            upper = above(*upper);
        return upper == &one;
    };
    if (names.empty()) return false;
    if (is_named(default_of(one))) return true;
    return one.name.user.empty() && std::ranges::any_of(all_, [&](const StoredAssociation& other) {
               return is_named(other.own_default) && is_below(other);
           });
}

std::vector<AssociationRecord> AssociationTree::records() const {
    std::vector<AssociationRecord> records;
    records.reserve(all_.size());
    for (const StoredAssociation& one : all_) {
        Access access = access_of(one);
        AssociationRecord& record =
            records.emplace_back(AssociationRecord{.name = one.name, .parent_account = one.parent_account});
        if (!one.whole.empty())
            record.own_qos = one.whole;
        else {
            record.added_qos = one.added;
            record.removed_qos = one.removed;
        }
        record.qos = std::move(access.qos);
        record.default_qos = std::move(access.default_qos);
        record.own_default_qos = one.own_default;
    }
    return records;
}

Error AssociationTree::unknown(const AssociationName& name) const {
    std::vector<std::string> others;
    for (const StoredAssociation& one : all_)
        if (one.name.user.empty() == name.user.empty())
            others.push_back(name.user.empty() ? one.name.account : one.name.user);
    return {ErrorCode::not_found,
            text::format("there is no association of {}{}", describe(name),
                         text::did_you_mean(name.user.empty() ? name.account : name.user, others))};
}

Result<void> AssociationTree::expect_usable_defaults(const AssociationTree& before) const {
    const auto then = before.records();
    const auto now = records();
    const auto is_usable = [](const AssociationRecord& one) {
        return !one.default_qos || one.qos.contains(*one.default_qos);
    };
    for (std::size_t i = 0; i < now.size(); ++i) {
        const AssociationRecord& one = now[i];
        if (is_usable(one) || (!is_usable(then[i]) && then[i].default_qos == one.default_qos)) continue;
        return Error{ErrorCode::invalid_input,
                     text::format("{} would have QOS '{}' as its default and could not use it: grant it, or "
                                  "set another default",
                                  describe(one.name), text::printable(*one.default_qos))};
    }
    return {};
}

NameSet AssociationTree::above_of(const StoredAssociation& one) const {
    const StoredAssociation* upper = above(one);
    return upper == nullptr ? NameSet() : access_of(*upper).qos;
}

/// The calls after which `one` stores `target`, and by which slurmctld hears what that is. A list of its own
/// is set by set_lists().
void AssociationTree::plan_own(const StoredAssociation& one, const model::OwnAccess& target,
                               AccessWrites& writes) const {
    const model::OwnAccess own = own_of(one);
    const NameSet above = above_of(one);
    const NameSet had = model::usable(own, above);
    const NameSet gets = model::usable(target, above);
    const NameSet gained = difference(gets, had);
    if (!target.whole.empty()) return writes.add_apart(Kind::grant, one, list_of(gained));
    if (!ends_differences(own, target)) {
        writes.add_apart(Kind::grant, one, list_of(difference(target.added, own.added)));
        writes.add(Kind::revoke, one, list_of(difference(target.removed, own.removed)));
        return;
    }
    // A default may need what is gained. slurmctld must hear something: without a word it takes the list that
    // it has for the account above, which may be old.
    writes.add_apart(Kind::grant, one, list_of(gained));
    auto words = signed_words(difference(gained, target.added), difference(had, gets));
    if (words.empty()) words = {gets.empty() ? "-" + *own.removed.begin() : "+" + *gets.begin()};
    writes.add(Kind::end, one, std::move(words), depth_of(one));
    writes.add_apart(Kind::restore, one, signed_words(target.added, target.removed),
                     max_depth - depth_of(one));
}

/// The calls by which revocations make `one` store `left`.
void AssociationTree::plan_revocations(const StoredAssociation& one, const NameSet& revoked,
                                       const model::OwnAccess& left, AccessWrites& writes) const {
    if (!one.whole.empty()) {
        std::vector<std::string> words = list_of(difference(one.whole, difference(one.whole, revoked)));
        if (left.whole.empty()) // slurmdbd keeps only the removal that emptied the list
            for (const std::string& qos : above_of(one))
                words.push_back(qos);
        return writes.add(Kind::revoke, one, std::move(words));
    }
    const NameSet taken = difference(left.removed, one.removed);
    const NameSet ended = difference(one.added, entries_of(left));
    if (ended.empty()) return writes.add(Kind::revoke, one, list_of(taken));
    NameSet lost = taken;
    lost.insert(ended.begin(), ended.end());
    writes.add(Kind::end, one, signed_words({}, lost), depth_of(one));
    writes.add_apart(Kind::restore, one, signed_words(left.added, left.removed), max_depth - depth_of(one));
}

/// The calls after which `one` stores the differences `left` to the list `above` without a moment in which it
/// has none: all that it may use then becomes its list, and is taken from that list again. The first call is
/// set_lists(), which slurmctld hears last. Something must be added.
void AssociationTree::plan_unlisting(const StoredAssociation& one, const model::OwnAccess& left,
                                     const NameSet& above, AccessWrites& writes) const {
    const NameSet gets = model::usable(left, above);
    writes.add_apart(Kind::grant, one, list_of(difference(gets, model::usable(own_of(one), above))));
    // slurmdbd keeps the removal that empties the list, which "+" replaces.
    const NameSet last{*left.added.begin()};
    auto words = signed_words({}, difference(gets, last));
    for (std::string& word : signed_words({}, last))
        words.push_back(std::move(word));
    for (std::string& word : signed_words(left.added, left.removed))
        words.push_back(std::move(word));
    writes.add(Kind::unlist, one, std::move(words), max_depth - depth_of(one));
}

/// The calls that set the lists of these associations to what this tree has. slurmctld gives an account's
/// list to all below that have none, without their differences, and drops defaults that are not in it; so
/// these are written before, which slurmctld hears after. So it is with a list that is ended again.
void AssociationTree::set_lists(const std::set<AssociationName>& of, AccessWrites& writes) const {
    if (of.empty()) return;
    for (const StoredAssociation& one : all_) {
        if (of.contains(one.name))
            writes.add(Kind::set_list, one, list_of(access_of(one).qos), max_depth - depth_of(one));
        const auto default_qos = one.name.user.empty() ? std::nullopt : default_of(one);
        bool is_listed = false;
        bool loses_default = false;
        const StoredAssociation* giver = &one;
        for (std::size_t depth = 0; giver->whole.empty() && depth < max_depth; ++depth) {
            giver = above(*giver);
            if (giver == nullptr) break;
            if (!of.contains(giver->name)) continue;
            const NameSet& kept = giver->whole.empty() ? giver->added : giver->whole;
            is_listed = true;
            loses_default |= default_qos && !kept.contains(*default_qos);
        }
        if (is_listed) writes.add_apart(Kind::rewrite, one, signed_words(one.added, one.removed));
        if (loses_default) writes.add(Kind::set_default, one, {one.own_default.value_or("")}, depth_of(one));
    }
}

Result<AccessPlan> AssociationTree::plan(std::span<const AccessChange> changes) const {
    AccessPlan plan{{}, *this};
    AssociationTree& after = plan.after;
    std::vector<std::pair<std::size_t, const AccessChange*>> from_the_top;
    for (const AccessChange& change : changes) {
        const StoredAssociation* one = find(change.name);
        if (one == nullptr) return unknown(change.name);
        if (const auto storable = model::expect_storable(change); !storable)
            return storable.error().in(describe(change.name));
        from_the_top.emplace_back(depth_of(*one), &change);
    }
    std::stable_sort(from_the_top.begin(), from_the_top.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    AccessWrites writes;
    for (const auto& [depth, change] : from_the_top) {
        StoredAssociation& one = *after.find(change->name);
        if (!change->default_qos || *change->default_qos == one.own_default.value_or("")) continue;
        writes.add(Kind::set_default, one, {*change->default_qos}, depth);
        one.own_default = change->default_qos->empty() ? std::nullopt : std::optional(*change->default_qos);
    }
    std::set<AssociationName> with_lists;
    for (const auto& [depth, change] : from_the_top) {
        StoredAssociation& one = *after.find(change->name);
        const NameSet above_has = after.above_of(one);
        const NameSet granted = difference(change->granted, model::usable(own_of(one), above_has));
        writes.add_apart(Kind::grant, one, list_of(granted));
        set_own(one, model::with_grants(own_of(one), granted, above_has));

        const model::OwnAccess left =
            change->own ? *change->own : model::with_revocations(own_of(one), change->revoked, above_has);
        if (left == own_of(one)) continue;
        // slurmdbd refuses to clear differences that have a default.
        const bool is_unlisted = ends_differences(own_of(one), left) &&
                                 after.has_default_among(one, difference(left.added, above_has));
        if (is_unlisted)
            after.plan_unlisting(one, left, above_has, writes);
        else if (change->own)
            after.plan_own(one, left, writes);
        else
            after.plan_revocations(one, change->revoked, left, writes);
        set_own(one, left);
        if (is_unlisted || (change->own && !left.whole.empty())) with_lists.insert(one.name);
    }
    if (const auto usable = after.expect_usable_defaults(*this); !usable) return usable.error();
    after.set_lists(with_lists, writes);
    plan.writes = writes.in_order();
    return plan;
}

std::vector<AccessWrite> AssociationTree::repeat(std::span<const AccessChange> changes) const {
    if (!depends_on_order(changes)) return {};
    AccessWrites writes;
    std::set<AssociationName> with_lists;
    for (const AccessChange& change : changes) {
        const StoredAssociation* one = find(change.name);
        if (one == nullptr) continue;
        if (change.default_qos)
            writes.add(Kind::set_default, *one, {one->own_default.value_or("")}, depth_of(*one));
        if (change.own && !one->whole.empty()) {
            with_lists.insert(one->name);
            continue;
        }
        if (change.own) {
            writes.add_apart(Kind::rewrite, *one, signed_words(one->added, one->removed));
            continue;
        }
        std::vector<std::string> words;
        for (const std::string& qos : change.granted)
            if (one->whole.contains(qos) || one->added.contains(qos)) words.push_back("+" + qos);
        for (const std::string& qos : change.revoked)
            if (one->removed.contains(qos) || (!one->whole.empty() && !one->whole.contains(qos)))
                words.push_back("-" + qos);
        writes.add_apart(Kind::rewrite, *one, std::move(words));
    }
    set_lists(with_lists, writes);
    return writes.in_order();
}

std::vector<AccessWrite> AssociationTree::tell_below(std::span<const AccessChange> changes,
                                                     const NameSet& every_qos) const {
    const InheritedBelow below(all_, changes, every_qos);
    AccessWrites writes;
    const auto tell = [&](const StoredAssociation& one, const NameSet& names) {
        const Access access = access_of(one);
        std::vector<std::string> words;
        for (const std::string& name : names)
            words.push_back((access.qos.contains(name) ? "+" : "-") + name);
        writes.add_apart(Kind::tell, one, words);
    };
    for (const StoredAssociation& one : all_) {
        const auto found = below.accounts().find(one.name.account);
        if (found == below.accounts().end()) continue;
        const bool is_account = one.name.user.empty();
        if (is_account && found->second.has_default) writes.add(Kind::set_default, one, {""}, depth_of(one));
        const StoredAssociation* account = is_account ? &one : above(one);
        if (account == nullptr) continue;
        // An account passes it on to its users. Of one with differences the users are written themselves: its
        // differences may have a default, which slurmdbd does not let go.
        const bool has_differences = !account->added.empty() || !account->removed.empty();
        if (is_account == has_differences) continue;
        const Inherited mine = is_account ? found->second : found->second.through(one);
        if (mine.qos.empty()) continue;
        const auto own = signed_words(one.added, one.removed);
        if (!own.empty() && one.added.contains(access_of(one).default_qos.value_or(""))) {
            // slurmdbd refuses to clear differences that have a default.
            writes.add(Kind::set_list, one, list_of(access_of(one).qos), max_depth - depth_of(one));
            plan_unlisting(one, own_of(one), above_of(one), writes);
            continue;
        }
        tell(one, mine.qos);
        writes.add_apart(Kind::restore, one, own);
    }
    return writes.in_order();
}

} // namespace qg::slurmdb
