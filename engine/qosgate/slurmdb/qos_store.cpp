// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/qos_store.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/slurmdb/qos_stages.hpp"

#include <algorithm>
#include <deque>
#include <set>

namespace qg::slurmdb {
namespace {

QosNames names_of(std::span<const StoredQos> all) {
    QosNames names;
    for (const StoredQos& qos : all)
        names.emplace(qos.id, qos.record.name);
    return names;
}

/// A condition that selects QOSs by name, with the memory that it points to.
class NameCondition {
  public:
    explicit NameCondition(std::vector<std::string> names)
        : names_(std::move(names)), list_(slurm::make_borrowing_list()) {
        for (std::string& name : names_)
            slurm::append(list_, name.data());
        condition_.name_list = list_.get();
    }
    NameCondition(const NameCondition&) = delete;
    NameCondition& operator=(const NameCondition&) = delete;

    [[nodiscard]] slurmdb_qos_cond_t* get() noexcept { return &condition_; }

  private:
    std::vector<std::string> names_;
    slurm::OwnedList list_;
    slurmdb_qos_cond_t condition_{};
};

/// Fails unless Slurm's list of touched QOSs has an entry for each that was meant.
Result<void> expect_count(const slurm::OwnedList& touched, std::size_t wanted, std::string_view what) {
    const auto count = static_cast<std::size_t>(slurm_list_count(touched.get()));
    if (count == wanted) return {};
    return Error{ErrorCode::conflict,
                 text::format("{}: slurmdbd did it for {} of {} QOSs; others were removed meanwhile", what,
                              count, wanted)};
}

} // namespace

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

Result<QosStore> QosStore::open(Connection& connection) {
    auto tres = TresTable::load(connection);
    if (!tres) return tres.error();
    return QosStore(connection, std::move(*tres));
}

Result<std::vector<StoredQos>> QosStore::read_all() {
    const auto list = connection_.ask("read the QOS records", [](void* handle) {
        slurmdb_qos_cond_t everything{};
        return slurmdb_qos_get(handle, &everything);
    });
    if (!list) return list.error();
    QosNames names;
    slurm::for_each<slurmdb_qos_rec_t>(list->get(), [&](const slurmdb_qos_rec_t& qos) {
        names.emplace(qos.id, text::lower(qos.name == nullptr ? "" : qos.name));
    });
    std::vector<StoredQos> all;
    slurm::for_each<slurmdb_qos_rec_t>(list->get(), [&](const slurmdb_qos_rec_t& qos) {
        all.push_back({qos.id, from_slurm(qos, tres_, names)});
    });
    std::sort(all.begin(), all.end(),
              [](const StoredQos& a, const StoredQos& b) { return a.record.name < b.record.name; });
    return all;
}

Result<void> QosStore::create(std::span<const model::QosRecord> records, WriteMode mode) {
    const auto all = read_all();
    if (!all) return all.error();
    std::set<std::string> fresh;
    for (const model::QosRecord& record : records) {
        if (find_qos(*all, record.name) != nullptr)
            return Error{ErrorCode::already_exists, text::format("QOS {} exists already", record.name)};
        if (!fresh.insert(record.name).second)
            return Error{ErrorCode::invalid_input, text::format("QOS {} is named twice", record.name)};
    }

    const QosNames names = names_of(*all);
    std::deque<WireQos> wires; // never moves its elements
    for (const model::QosRecord& record : records) {
        // Preempt is written with ids, which new QOSs do not have before they are committed: slurmdbd would
        // write outside of its bit strings.
        for (const std::string& name : record.preempt)
            if (fresh.contains(name))
                return Error{ErrorCode::invalid_input,
                             text::format("{}: Preempt: {} is only being created; set Preempt afterwards",
                                          record.name, name)};
        auto patch = make_patch(model::QosRecord{}, record, tres_, names);
        if (!patch) return patch.error().in(record.name);
        wires.emplace_back(record.name, std::move(*patch));
    }
    if (mode == WriteMode::check_only) return {};

    const slurm::OwnedList list = slurm::make_borrowing_list();
    for (WireQos& wire : wires)
        slurm::append(list, wire.get());
    const auto added =
        connection_.tell("create QOSs", [&](void* handle) { return slurmdb_qos_add(handle, list.get()); });
    if (!added) return added;
    return confirm(records);
}

Result<void> QosStore::modify(std::span<const QosUpdate> updates, WriteMode mode) {
    const auto all = read_all();
    if (!all) return all.error();
    std::vector<model::QosRecord> wanted;
    for (const QosUpdate& update : updates) {
        const StoredQos* now = find_qos(*all, update.before.name);
        if (now == nullptr) return unknown_qos(*all, update.before.name);
        if (now->record != update.before)
            return Error{
                ErrorCode::conflict,
                text::format("QOS {} was changed by somebody else meanwhile; nothing was written, look "
                             "and try again",
                             update.before.name)};
        wanted.push_back(update.after);
    }
    const auto changes = group(updates, names_of(*all));
    if (!changes) return changes.error();
    if (mode == WriteMode::check_only) return {};
    if (const auto done = write(*changes); !done) return done;
    return confirm(wanted);
}

Result<std::vector<QosStore::Change>> QosStore::group(std::span<const QosUpdate> updates,
                                                      const QosNames& names) const {
    std::vector<std::vector<model::QosRecord>> ways;
    std::size_t longest = 0;
    for (const QosUpdate& update : updates) {
        auto& way = ways.emplace_back(stages_between(update.before, update.after));
        way.insert(way.begin(), update.before);
        longest = std::max(longest, way.size());
    }
    std::vector<Change> changes;
    for (std::size_t step = 1; step < longest; ++step) {
        const std::size_t first = changes.size(); // those of earlier steps are written before
        for (const auto& way : ways) {
            if (step >= way.size()) continue;
            auto patch = make_patch(way[step - 1], way[step], tres_, names);
            if (!patch) return patch.error().in(way[step].name);
            if (*patch == QosPatch{}) continue;
            const auto same = std::find_if(changes.begin() + static_cast<std::ptrdiff_t>(first),
                                           changes.end(), [&](const Change& c) { return c.patch == *patch; });
            if (same != changes.end())
                same->names.push_back(way[step].name);
            else
                changes.push_back({std::move(*patch), {way[step].name}});
        }
    }
    return changes;
}

Result<void> QosStore::write(const std::vector<Change>& changes) {
    for (const Change& change : changes) {
        const std::string what = "modify QOS " + text::join(change.names, ",");
        NameCondition condition(change.names);
        WireQos wire({}, change.patch);
        const auto touched = connection_.ask(
            what, [&](void* handle) { return slurmdb_qos_modify(handle, condition.get(), wire.get()); });
        if (!touched) return touched.error();
        if (const auto done = expect_count(*touched, change.names.size(), what); !done) return done;
    }
    return {};
}

Result<void> QosStore::confirm(std::span<const model::QosRecord> wanted) {
    const auto all = read_all();
    if (!all) return all.error();
    for (const model::QosRecord& record : wanted) {
        const StoredQos* stored = find_qos(*all, record.name);
        if (stored == nullptr)
            return Error{
                ErrorCode::conflict,
                text::format("QOS {} was not stored: slurmdbd restarted, or somebody else removed it; "
                             "nothing was changed",
                             record.name)};
        const auto wrong = model::differences(record, stored->record);
        if (wrong.empty()) continue;
        return Error{ErrorCode::conflict,
                     text::format("QOS {}: slurmdbd has {}={} now instead of {}, as if somebody else had "
                                  "changed it meanwhile; nothing was changed",
                                  record.name, wrong.front().field->name, wrong.front().after,
                                  wrong.front().before)};
    }
    return {};
}

Result<void> QosStore::remove(std::span<const std::string> names, WriteMode mode) {
    const auto all = read_all();
    if (!all) return all.error();
    for (const std::string& name : names)
        if (find_qos(*all, name) == nullptr) return unknown_qos(*all, name);

    // slurmdbd leaves the ids of the removed in Preempt, where they would come to life again with a QOS that
    // is created under an old name.
    std::vector<QosUpdate> others;
    for (const StoredQos& qos : *all) {
        if (std::find(names.begin(), names.end(), qos.record.name) != names.end()) continue;
        QosUpdate update{qos.record, qos.record};
        for (const std::string& name : names)
            update.after.preempt.erase(name);
        if (update.after != update.before) others.push_back(std::move(update));
    }
    const auto changes = group(others, names_of(*all));
    if (!changes) return changes.error();
    if (mode == WriteMode::check_only) return {};
    if (const auto done = write(*changes); !done) return done;

    QG_CHECK(!names.empty()); // slurmdbd takes an empty condition for every QOS
    const std::string what = "remove QOS " + text::join(names, ",");
    NameCondition condition(std::vector<std::string>(names.begin(), names.end()));
    const auto touched =
        connection_.ask(what, [&](void* handle) { return slurmdb_qos_remove(handle, condition.get()); });
    if (!touched) return touched.error();
    return expect_count(*touched, names.size(), what);
}

} // namespace qg::slurmdb
