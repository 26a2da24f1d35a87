// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/association_store.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace qg::slurmdb {
namespace {

using model::AccessChange;
using model::AssociationRecord;

/// The maximum number of associations in one call: slurmdbd writes all their ids into one query.
constexpr std::size_t max_ids = 2000;

using NamesById = std::map<std::uint64_t, std::string>;

NamesById names_of(std::span<const StoredQos> all) {
    NamesById names;
    for (const StoredQos& qos : all)
        names.emplace(qos.id, qos.record.name);
    return names;
}

std::string or_empty(const char* text) {
    return text == nullptr ? "" : text;
}

/// `ids`: "7", or "+7" and "-8".
void read_list(slurm::ListHandle ids, const NamesById& names, StoredAssociation& one) {
    slurm::for_each<const char>(ids, [&](const char& word) {
        std::string_view digits(&word);
        if (digits.empty()) return;
        model::NameSet* part = &one.whole;
        if (digits.front() == '+' || digits.front() == '-') {
            part = digits.front() == '+' ? &one.added : &one.removed;
            digits.remove_prefix(1);
        }
        const auto id = text::parse_unsigned(digits);
        const auto found = id ? names.find(*id) : names.end();
        if (found != names.end()) part->insert(found->second);
    });
}

StoredAssociation from_slurm(const slurmdb_assoc_rec_t& association, const NamesById& names) {
    StoredAssociation one;
    one.id = association.id;
    one.name = {.cluster = or_empty(association.cluster),
                .account = or_empty(association.acct),
                .user = or_empty(association.user),
                .partition = or_empty(association.partition)};
    if (one.name.user.empty()) one.parent_account = or_empty(association.parent_acct);
    read_list(association.qos_list, names, one);
    const auto found = names.find(association.def_qos_id);
    if (found != names.end()) one.own_default = found->second;
    return one;
}

/// A list of texts with the memory that it points to.
class TextList {
  public:
    explicit TextList(std::vector<std::string> texts) : texts_(std::move(texts)) {
        for (std::string& text : texts_)
            slurm::append(list_, text.data());
    }
    TextList(const TextList&) = delete;
    TextList& operator=(const TextList&) = delete;

    [[nodiscard]] slurm::ListHandle get() const noexcept { return list_.get(); }

  private:
    std::vector<std::string> texts_;
    slurm::OwnedList list_ = slurm::make_borrowing_list();
};

std::uint32_t id_of(const std::string& name, std::span<const StoredQos> all) {
    const StoredQos* qos = find_qos(all, name);
    QG_CHECK(qos != nullptr);
    return qos->id;
}

/// The word for slurmdbd: "7", "+7" or "-7".
std::string id_word(AccessWrite::Kind kind, const std::string& word, std::span<const StoredQos> all) {
    switch (kind) {
    case AccessWrite::Kind::grant: return text::format("+{}", id_of(word, all));
    case AccessWrite::Kind::revoke: return text::format("-{}", id_of(word, all));
    case AccessWrite::Kind::set_list:
    case AccessWrite::Kind::set_default: return std::to_string(id_of(word, all));
    case AccessWrite::Kind::rewrite:
    case AccessWrite::Kind::unlist:
    case AccessWrite::Kind::end:
    case AccessWrite::Kind::tell:
    case AccessWrite::Kind::restore: break;
    }
    return text::format("{}{}", word.front(), id_of(word.substr(1), all));
}

std::string what_of(const AccessWrite& write, std::size_t count) {
    const std::string names = text::join(write.qos, ",");
    switch (write.kind) {
    case AccessWrite::Kind::grant: return text::format("grant QOS {} to {} associations", names, count);
    case AccessWrite::Kind::revoke: return text::format("revoke QOS {} from {} associations", names, count);
    case AccessWrite::Kind::set_list: return text::format("set the list {} of {} associations", names, count);
    case AccessWrite::Kind::end: return text::format("end the lists of {} associations ({})", count, names);
    case AccessWrite::Kind::tell:
    case AccessWrite::Kind::rewrite:
    case AccessWrite::Kind::unlist:
    case AccessWrite::Kind::restore:
        return text::format("write QOS {} of {} associations anew", names, count);
    case AccessWrite::Kind::set_default: break;
    }
    return text::format("set the default QOS of {} associations", count);
}

/// Without revocations of QOSs that are deleted.
std::vector<AccessChange> of_known(std::span<const AccessChange> changes, std::span<const StoredQos> all) {
    std::vector<AccessChange> known(changes.begin(), changes.end());
    for (AccessChange& change : known)
        std::erase_if(change.revoked,
                      [&](const std::string& name) { return find_qos(all, name) == nullptr; });
    return known;
}

/// The QOSs that are named must exist. Errors: not_found.
Result<void> expect_known(std::span<const AccessChange> changes, std::span<const StoredQos> all) {
    const auto check = [&](const std::string& name) -> Result<void> {
        if (find_qos(all, name) == nullptr) return unknown_qos(all, name);
        return {};
    };
    for (const AccessChange& change : changes) {
        const model::OwnAccess own = change.own.value_or(model::OwnAccess());
        for (const model::NameSet* names : {&change.granted, &own.whole, &own.added, &own.removed})
            for (const std::string& name : *names)
                if (const auto known = check(name); !known) return known;
        if (!change.default_qos.value_or("").empty())
            if (const auto known = check(*change.default_qos); !known) return known;
    }
    return {};
}

} // namespace

AssociationStore::AssociationStore(Connection& connection, std::string cluster)
    : connection_(&connection), cluster_(std::move(cluster)) {}

Result<AssociationTree> AssociationStore::read_tree(std::span<const StoredQos> all) {
    const TextList clusters({cluster_});
    slurmdb_assoc_cond_t condition{};
    condition.cluster_list = clusters.get();
    slurm::leave_out_inherited(condition);
    slurm::show_stored_lists(condition);
    const auto list = connection_->ask(
        "read the associations", [&](void* handle) { return slurmdb_associations_get(handle, &condition); });
    if (!list) return list.error();
    const NamesById names = names_of(all);
    std::vector<StoredAssociation> found;
    slurm::for_each<slurmdb_assoc_rec_t>(list->get(), [&](const slurmdb_assoc_rec_t& association) {
        found.push_back(from_slurm(association, names));
    });
    return AssociationTree(std::move(found));
}

Result<std::vector<AssociationRecord>> AssociationStore::read_all(std::span<const StoredQos> all) {
    const auto tree = read_tree(all);
    if (!tree) return tree.error();
    return tree->records();
}

Result<void> AssociationStore::write(std::span<const AccessChange> changes, std::span<const StoredQos> all) {
    if (const auto known = expect_known(changes, all); !known) return known;
    const auto before = read_tree(all);
    if (!before) return before.error();
    const auto plan = before->plan(changes);
    if (!plan) return plan.error();
    if (const auto done = modify_all(plan->writes, all); !done) return done;
    if (plan->writes.empty()) return {};
    const auto stored = read_tree(all);
    if (!stored) return stored.error();
    for (const AccessChange& change : changes) {
        const StoredAssociation* now = stored->find(change.name);
        if (now != nullptr && *now == *plan->after.find(change.name)) continue;
        return Error{ErrorCode::conflict, text::format("{}: slurmdbd did not store the change of its QOSs",
                                                       describe(change.name))};
    }
    return {};
}

Result<void> AssociationStore::repeat(std::span<const AccessChange> changes, std::span<const StoredQos> all) {
    const auto tree = read_tree(all);
    if (!tree) return tree.error();
    return modify_all(tree->repeat(of_known(changes, all)), all);
}

Result<void> AssociationStore::tell_below(std::span<const AccessChange> changes,
                                          std::span<const StoredQos> all) {
    if (!slurm::sends_one_level_below) return {};
    const auto tree = read_tree(all);
    if (!tree) return tree.error();
    model::NameSet every_qos;
    for (const StoredQos& qos : all)
        every_qos.insert(qos.record.name);
    return modify_all(tree->tell_below(of_known(changes, all), every_qos), all);
}

Result<void> AssociationStore::check(std::span<const AccessChange> changes, std::span<const StoredQos> all) {
    if (const auto known = expect_known(changes, all); !known) return known;
    const auto tree = read_tree(all);
    if (!tree) return tree.error();
    if (const auto plan = tree->plan(changes); !plan) return plan.error();
    return {};
}

Result<AssociationStore::Buried> AssociationStore::find_buried(const model::NameSet& names,
                                                               std::span<const StoredQos> all) {
    const auto tree = read_tree(all);
    if (!tree) return tree.error();
    Buried found;
    model::NameSet qos;
    for (const StoredAssociation& one : tree->stored()) {
        if (one.added.size() + one.removed.size() < 2) continue;
        model::NameSet here;
        std::ranges::set_intersection(names, one.removed, std::inserter(here, here.end()));
        if (here.empty()) continue;
        found.associations.push_back(one.id);
        qos.merge(here);
    }
    found.qos.assign(qos.begin(), qos.end());
    return found;
}

// slurmdbd does not find an entry at the end of a list without its comma. The opposite, written first, takes
// its place at the end, with a comma. Both are in one call, because slurmctld hears of calls in no certain
// order.
Result<void> AssociationStore::put_last(const std::string& name, std::span<const StoredQos> all) {
    const auto tree = read_tree(all);
    if (!tree) return tree.error();
    for (const bool is_of_users : {false, true}) {
        AccessWrite write{AccessWrite::Kind::rewrite, is_of_users, {"+" + name, "-" + name}, {}};
        for (const StoredAssociation& one : tree->stored())
            if (one.removed.contains(name) && !one.name.user.empty() == is_of_users)
                write.ids.push_back(one.id);
        if (const auto done = modify(write, all); !done) return done;
    }
    return {};
}

Result<void> AssociationStore::end_lists(std::span<const std::uint32_t> associations,
                                         std::span<const StoredQos> all) {
    const auto tree = read_tree(all);
    if (!tree) return tree.error();
    for (const StoredAssociation& one : tree->stored()) {
        if (std::ranges::find(associations, one.id) == associations.end()) continue;
        AccessWrite write{AccessWrite::Kind::rewrite, !one.name.user.empty(), {}, {one.id}};
        if (!one.removed.empty())
            write.qos = {"+" + *one.removed.begin(), "-" + *one.removed.begin()};
        else if (!one.added.empty())
            write.qos = {"-" + *one.added.begin(), "+" + *one.added.begin()};
        else
            continue;
        if (const auto done = modify(write, all); !done) return done;
    }
    return {};
}

Result<void> AssociationStore::modify_all(std::span<const AccessWrite> writes,
                                          std::span<const StoredQos> all) {
    for (const AccessWrite& write : writes)
        if (const auto done = modify(write, all); !done) return done;
    return {};
}

Result<void> AssociationStore::modify(const AccessWrite& write, std::span<const StoredQos> all) {
    std::vector<std::string> words;
    slurmdb_assoc_rec_t change{};
    slurmdb_init_assoc_rec(&change, false);
    if (write.kind == AccessWrite::Kind::set_default) {
        const std::string& name = write.qos.front();
        change.def_qos_id = name.empty() ? INFINITE : id_of(name, all);
    } else {
        for (const std::string& word : write.qos)
            words.push_back(id_word(write.kind, word, all));
    }
    // slurmdbd clears the differences, and slurmctld hears of the others.
    if (write.kind == AccessWrite::Kind::end || write.kind == AccessWrite::Kind::tell) words.emplace_back();
    const TextList qos(words);
    if (!words.empty()) change.qos_list = qos.get();
    const TextList clusters({cluster_});
    const TextList every_user({});
    for (std::size_t first = 0; first < write.ids.size(); first += max_ids) {
        std::vector<std::string> digits;
        for (std::size_t i = first; i < std::min(first + max_ids, write.ids.size()); ++i)
            digits.push_back(std::to_string(write.ids[i]));
        const std::string what = what_of(write, digits.size());
        const TextList ids(std::move(digits));
        slurmdb_assoc_cond_t condition{};
        condition.cluster_list = clusters.get();
        condition.id_list = ids.get();
        if (write.is_of_users) condition.user_list = every_user.get();
        const auto touched = connection_->ask(
            what, [&](void* handle) { return slurmdb_associations_modify(handle, &condition, &change); },
            late::locks);
        if (!touched) return touched.error();
        if (slurm_list_count(touched->get()) == 0)
            return Error{ErrorCode::conflict, text::format("cannot {}: they were deleted meanwhile", what)};
    }
    return {};
}

} // namespace qg::slurmdb
