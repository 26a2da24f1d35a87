// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/changes.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/own_access.hpp"
#include "qosgate/spec/access_tree.hpp"

#include <algorithm>
#include <set>

namespace qg::spec {
namespace {

constexpr std::size_t max_names_bytes = 100000;

std::vector<model::QosRecord> apply_to(const Plan& plan, const std::vector<model::QosRecord>& qos) {
    std::map<std::string, model::QosRecord> records;
    for (const model::QosRecord& record : qos)
        records[record.name] = record;
    for (const model::QosRecord& record : plan.created)
        records[record.name] = record;
    for (const PlannedUpdate& update : plan.updated)
        records[update.after.name] = update.after;
    for (const model::QosRecord& record : plan.removed)
        records.erase(record.name);
    std::vector<model::QosRecord> after;
    after.reserve(records.size());
    for (auto& [name, record] : records)
        after.push_back(std::move(record));
    return after;
}

std::vector<model::AssociationRecord> change_associations(const Plan& plan, AccessTree tree) {
    std::map<model::AssociationName, const model::AccessChange*> changes;
    for (const model::AccessChange& change : plan.access)
        changes.emplace(change.name, &change);
    model::NameSet removed;
    for (const model::QosRecord& record : plan.removed)
        removed.insert(record.name);

    std::vector<model::AssociationRecord> after;
    after.reserve(tree.size());
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto parent = tree.parent(i);
        const model::AssociationRecord* above = parent ? &after[*parent] : nullptr;
        model::AssociationRecord record = without_qos(tree.inherit(i, above), removed, above);
        if (const auto change = changes.find(record.name); change != changes.end())
            record = with_change(std::move(record), *change->second, above);
        after.push_back(std::move(record));
    }
    return after;
}

/// All of them: who reviews a plan must see what is stored.
std::string names_of(const model::NameSet& names) {
    return text::printable(text::join(std::vector(names.begin(), names.end()), ", "), max_names_bytes);
}

/// "a, b", or "none, but the list of the account above with c and without d"
std::string describe_own(const model::OwnAccess& own) {
    if (!own.whole.empty()) return names_of(own.whole);
    std::string words = "none, but the list of the account above";
    if (!own.added.empty()) words += " with " + names_of(own.added);
    if (!own.removed.empty())
        words += text::format("{} without {}", own.added.empty() ? "" : " and", names_of(own.removed));
    return words;
}

/// "a, b" of those that fit, for one word of describe_owner_changes().
void add_fields(std::vector<std::string>& parts, std::string_view verb,
                const std::vector<std::string>& fields, std::string_view from = {}) {
    if (fields.empty()) return;
    std::string part = text::format("{} {}", verb, text::list_names(fields));
    if (!from.empty()) part += text::format(" from {}", from);
    parts.push_back(std::move(part));
}

} // namespace

LiveState apply_to(const Plan& plan, const LiveState& live) {
    return {live.cluster, apply_to(plan, live.qos), change_associations(plan, AccessTree(live.associations)),
            live.capacity};
}

model::QosRecord without_mark(model::QosRecord record) {
    record.description = read_mark(record.description).text;
    return record;
}

std::string keep_mark(const std::string& old, std::string text) {
    MarkedDescription marked = read_mark(old);
    marked.text = std::move(text);
    return write_mark(marked);
}

Result<void> expect_no_mark(std::string_view description) {
    if (read_mark(description).ownership == Ownership{}) return {};
    return Error{
        ErrorCode::invalid_input,
        "Description: it ends with a mark, '[qosgate:...]', which says what spec files manage, and only "
        "'qosgate spec' writes marks: leave it out"};
}

bool is_mark_only(const PlannedUpdate& update) {
    return update.before != update.after && without_mark(update.before) == without_mark(update.after);
}

std::vector<model::FieldDifference> differences(const PlannedUpdate& update) {
    return model::differences(without_mark(update.before), without_mark(update.after));
}

std::vector<OwnerChange> owner_changes(const PlannedUpdate& update) {
    const Ownership before = read_mark(update.before.description).ownership;
    const Ownership after = read_mark(update.after.description).ownership;
    std::vector<OwnerChange> changes;
    const auto compare = [&](std::string_view field) {
        OwnerChange change{std::string(field), before.owner_of(field), after.owner_of(field)};
        if (change.before != change.after) changes.push_back(std::move(change));
    };
    for (const model::QosField& field : model::qos_fields())
        compare(field.name);
    compare(access_field);
    return changes;
}

std::string describe_owner_changes(const PlannedUpdate& update) {
    std::vector<std::string> adopted;
    std::vector<std::string> released;
    std::map<std::string, std::vector<std::string>> taken;
    for (const OwnerChange& change : owner_changes(update)) {
        if (change.after.empty())
            released.push_back(change.field);
        else if (change.before.empty())
            adopted.push_back(change.field);
        else
            taken[change.before].push_back(change.field);
    }
    std::vector<std::string> parts;
    add_fields(parts, "adopts", adopted);
    for (const auto& [owner, fields] : taken)
        add_fields(parts, "takes", fields, owner);
    add_fields(parts, "releases", released);
    return text::join(parts, "; ");
}

std::vector<AccessSummary> summarize_access(const Plan& plan) {
    std::map<std::string, AccessSummary> summaries;
    const auto of = [&](const std::string& qos) -> AccessSummary& {
        return summaries.try_emplace(qos, AccessSummary{qos}).first->second;
    };
    for (std::size_t i = 0; i < plan.access.size(); ++i) {
        const model::AccessChange& change = plan.access[i];
        for (const std::string& qos : change.granted)
            of(qos).granted.push_back(change.name);
        for (const std::string& qos : change.revoked)
            of(qos).revoked.push_back(change.name);
        if (!change.default_qos) continue;
        const auto& before = plan.access_base[i].own_default_qos;
        if (!change.default_qos->empty())
            of(*change.default_qos).default_for.push_back(change.name);
        else if (before)
            of(*before).cleared_for.push_back(change.name);
    }
    std::vector<AccessSummary> sorted;
    for (auto& [qos, summary] : summaries)
        sorted.push_back(std::move(summary));
    return sorted;
}

std::vector<ListChange> list_changes(const Plan& plan) {
    std::vector<ListChange> changes;
    for (std::size_t i = 0; i < plan.access.size(); ++i)
        if (plan.access[i].own)
            changes.push_back({plan.access[i].name, own_access(plan.access_base[i]), *plan.access[i].own});
    std::ranges::sort(changes, {}, &ListChange::name);
    return changes;
}

std::string describe(const ListChange& change) {
    return text::format("own list of {}: {}; before: {}", list_associations(std::span(&change.name, 1)),
                        describe_own(change.after), describe_own(change.before));
}

std::string list_associations(std::span<const model::AssociationName> names) {
    std::vector<std::string> accounts;
    std::vector<std::string> users;
    for (const model::AssociationName& name : names) {
        if (name.user.empty()) {
            accounts.push_back(text::printable(name.account));
            continue;
        }
        std::string user = text::printable(name.user) + " in " + text::printable(name.account);
        if (!name.partition.empty()) user += " (partition " + text::printable(name.partition) + ")";
        users.push_back(std::move(user));
    }
    std::vector<std::string> parts;
    if (!accounts.empty())
        parts.push_back((accounts.size() == 1 ? "account " : "accounts ") + text::join(accounts, ", "));
    if (!users.empty()) parts.push_back((users.size() == 1 ? "user " : "users ") + text::join(users, ", "));
    return text::join(parts, "; ");
}

} // namespace qg::spec
