// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/qos_plan.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/preempt_loops.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace qg::slurmdb {
namespace {

/// "Priority=1 MaxWall=00:11:00", of a record.
std::string settings_of(const model::QosRecord& record) {
    std::ostringstream words;
    words << record;
    const std::string all = words.str();
    const auto end_of_name = all.find(' ');
    return end_of_name == std::string::npos ? "nothing set" : all.substr(end_of_name + 1);
}

Error name_is_taken(const model::QosRecord& existing) {
    return {ErrorCode::already_exists,
            text::format("QOS '{0}' already exists ({1}); 'qosgate qos update {0} FIELD=VALUE' changes it",
                         text::printable(existing.name), text::printable(settings_of(existing), 1000))};
}

Error name_is_too_like(std::string_view name, std::string_view other) {
    return {
        ErrorCode::invalid_input,
        text::format("'{}': Slurm's database distinguishes QOSs by the first {} bytes of their names, and "
                     "QOS '{}' begins with the same; choose another beginning",
                     text::printable(name), model::telling_name_bytes, text::printable(other))};
}

/// The names of all records that a plan touches.
std::vector<std::string> touched_names(const QosPlan& plan) {
    std::vector<std::string> names;
    for (const model::QosRecord& record : plan.created)
        names.push_back(record.name);
    for (const QosUpdate& update : plan.updated)
        names.push_back(update.before.name);
    for (const model::QosRecord& record : plan.removed)
        names.push_back(record.name);
    return names;
}

/// "QOS rc1: MaxWall is 00:10:00 now, not 00:20:00", for each change that is not in `now`.
void note_lost(const QosUpdate& wanted, const StoredQos* now, std::vector<std::string>& found) {
    const std::string name = text::printable(wanted.after.name);
    if (now == nullptr) {
        found.push_back(text::format("QOS '{}' does not exist any more", name));
        return;
    }
    for (const auto& lost : model::lost_changes(wanted.before, wanted.after, now->record))
        found.push_back(text::format("QOS '{}': {} is {} now, not {}", name, lost.field->name,
                                     text::printable(lost.after, 1000), text::printable(lost.before, 1000)));
}

} // namespace

bool QosPlan::changes_anything() const {
    return !created.empty() || !removed.empty() ||
           std::any_of(updated.begin(), updated.end(),
                       [](const QosUpdate& update) { return update.before != update.after; });
}

const StoredQos* find_qos(std::span<const StoredQos> all, std::string_view name) {
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const StoredQos& qos) { return text::iequals(qos.record.name, name); });
    return found == all.end() ? nullptr : &*found;
}

Error unknown_qos(std::span<const StoredQos> all, std::string_view name) {
    std::vector<std::string> names;
    for (const StoredQos& qos : all)
        names.push_back(qos.record.name);
    return {ErrorCode::not_found, text::format("there is no QOS '{}'{} ('qosgate qos list' shows all)",
                                               text::printable(name), text::did_you_mean(name, names))};
}

Result<QosPlan> plan_creation(std::span<const StoredQos> all, std::vector<model::QosRecord> records) {
    for (const model::QosRecord& record : records) {
        if (const StoredQos* existing = find_qos(all, record.name)) return name_is_taken(existing->record);
        for (const StoredQos& other : all)
            if (text::iequals(model::telling_part(other.record.name), model::telling_part(record.name)))
                return name_is_too_like(record.name, other.record.name);
        for (const model::QosRecord& other : records) {
            if (&other == &record) continue;
            if (other.name == record.name)
                return Error{ErrorCode::invalid_input,
                             text::format("QOS '{}' is named twice", text::printable(record.name))};
            if (model::telling_part(other.name) == model::telling_part(record.name))
                return name_is_too_like(record.name, other.name);
        }
    }
    return QosPlan{std::move(records), {}, {}};
}

Result<QosPlan> plan_update(std::span<const StoredQos> all, std::span<const std::string> names,
                            const model::QosChange& change) {
    QosPlan plan;
    for (const std::string& name : names) {
        const StoredQos* found = find_qos(all, name);
        if (found == nullptr) return unknown_qos(all, name);
        plan.updated.push_back({found->record, change.apply_to(found->record)});
    }
    return plan;
}

Result<QosPlan> plan_removal(std::span<const StoredQos> all, std::span<const std::string> names) {
    QosPlan plan;
    for (const std::string& name : names) {
        const StoredQos* found = find_qos(all, name);
        if (found == nullptr) return unknown_qos(all, name);
        if (std::ranges::find(plan.removed, found->record) == plan.removed.end())
            plan.removed.push_back(found->record);
    }
    model::NameSet removed;
    for (const model::QosRecord& record : plan.removed)
        removed.insert(record.name);
    for (const StoredQos& qos : all) {
        if (removed.contains(qos.record.name)) continue;
        QosUpdate update{qos.record, qos.record};
        for (const std::string& name : removed)
            update.after.preempt.erase(name);
        if (update.after != update.before) plan.updated.push_back(std::move(update));
    }
    return plan;
}

model::NameSet new_in_preempt(const model::QosRecord& record, const QosPlan& plan) {
    model::NameSet found;
    for (const model::QosRecord& created : plan.created)
        if (record.preempt.contains(created.name)) found.insert(created.name);
    return found;
}

std::vector<std::vector<model::QosRecord>> in_preempt_order(std::vector<model::QosRecord> records) {
    std::vector<std::vector<model::QosRecord>> groups;
    while (!records.empty()) {
        model::NameSet waiting;
        for (const model::QosRecord& record : records)
            waiting.insert(record.name);
        const auto rest = std::stable_partition(records.begin(), records.end(), [&](const auto& record) {
            return std::ranges::none_of(record.preempt,
                                        [&](const auto& name) { return waiting.contains(name); });
        });
        if (rest == records.begin()) break;
        groups.emplace_back(std::make_move_iterator(records.begin()), std::make_move_iterator(rest));
        records.erase(records.begin(), rest);
    }
    return groups;
}

Result<void> expect_no_preempt_loop(const QosPlan& plan, std::span<const StoredQos> all) {
    model::PreemptMap before;
    for (const StoredQos& qos : all)
        before[qos.record.name] = qos.record.preempt;
    model::PreemptMap after = before;
    for (const QosUpdate& update : plan.updated)
        after[update.after.name] = update.after.preempt;
    for (const model::QosRecord& record : plan.created)
        after[record.name] = record.preempt;
    for (const model::QosRecord& record : plan.removed)
        after.erase(record.name);
    const auto loops = model::find_new_loops(before, after);
    if (loops.empty()) return {};
    std::vector<std::string> names;
    for (const std::string& name : loops.front())
        names.push_back(text::printable(name));
    std::ranges::sort(names);
    return Error{
        ErrorCode::invalid_input,
        text::format("Preempt: QOSs would preempt each other, directly or through others: {}; take one "
                     "of them out of Preempt (a QOS cannot preempt itself: that is "
                     "PreemptMode=WITHIN)",
                     text::list_names(names))};
}

bool has_same_base(const QosPlan& plan, std::span<const StoredQos> then, std::span<const StoredQos> now) {
    const auto names = touched_names(plan);
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        const StoredQos* old = find_qos(then, name);
        const StoredQos* fresh = find_qos(now, name);
        if (old == nullptr || fresh == nullptr) return old == fresh;
        return old->id == fresh->id && old->record == fresh->record;
    });
}

std::vector<std::string> find_overtaken(const QosPlan& plan, std::span<const StoredQos> now) {
    std::vector<std::string> found;
    for (const model::QosRecord& record : plan.created)
        note_lost({model::QosRecord{}, record}, find_qos(now, record.name), found);
    for (const QosUpdate& update : plan.updated)
        note_lost(update, find_qos(now, update.after.name), found);
    for (const model::QosRecord& record : plan.removed)
        if (find_qos(now, record.name) != nullptr)
            found.push_back(text::format("QOS '{}' exists again", text::printable(record.name)));
    return found;
}

} // namespace qg::slurmdb
