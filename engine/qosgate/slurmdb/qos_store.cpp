// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/qos_store.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/slurmdb/qos_stages.hpp"

#include <algorithm>
#include <deque>

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

/// Fails unless Slurm's list of touched QOSs has an entry for each requested one.
Result<void> expect_count(const slurm::OwnedList& touched, std::size_t wanted, std::string_view what) {
    const auto count = static_cast<std::size_t>(slurm_list_count(touched.get()));
    if (count == wanted) return {};
    return Error{ErrorCode::conflict,
                 text::format("{}: slurmdbd found {} of {} QOSs; the others were deleted meanwhile", what,
                              count, wanted)};
}

bool is_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

Error not_storable(std::string_view what, std::string_view text) {
    return {ErrorCode::invalid_input,
            text::format("the accounting database cannot store the {} '{}': its tables do not have these "
                         "characters; use others",
                         what, text::printable(text))};
}

Error not_stored(const model::QosRecord& record) {
    if (!is_ascii(record.name)) return not_storable("name", record.name);
    return {ErrorCode::conflict, text::format("QOS '{}' was not stored: slurmdbd or its database restarted "
                                              "meanwhile; try again",
                                              text::printable(record.name))};
}

/// The error if a record is not stored as `plan` has it; empty if it is.
Result<void> expect_stored(model::QosRecord wanted, const QosPlan& plan, std::span<const StoredQos> all) {
    const StoredQos* stored = find_qos(all, wanted.name);
    if (stored == nullptr) return not_stored(wanted);
    // Before the commit slurmdbd does not show ids that are new, nor what is stored after one.
    if (!new_in_preempt(wanted, plan).empty()) wanted.preempt = stored->record.preempt;
    const auto wrong = model::differences(wanted, stored->record);
    if (wrong.empty()) return {};
    if (wanted.description != stored->record.description && !is_ascii(wanted.description))
        return not_storable("description", wanted.description);
    return Error{ErrorCode::conflict,
                 text::format("QOS '{}': slurmdbd stored {}={} instead of {}", text::printable(wanted.name),
                              wrong.front().field->name, text::printable(wrong.front().after, 1000),
                              text::printable(wrong.front().before, 1000))};
}

/// Updates in two parts: all but the new QOSs in Preempt, and the records that get those as well.
struct SplitUpdates {
    std::vector<QosUpdate> first;
    std::vector<model::QosRecord> preempting_new;
};

/// slurmdbd writes outside its memory when a modification puts a QOS into Preempt that is not committed yet;
/// it does not when it adds a record, also one that exists (slurm/README.md 4.4).
SplitUpdates split_by_preempt(const QosPlan& plan) {
    SplitUpdates parts{plan.updated, {}};
    for (QosUpdate& update : parts.first) {
        const auto added = new_in_preempt(update.after, plan);
        if (added.empty()) continue;
        parts.preempting_new.push_back(update.after);
        for (const std::string& name : added)
            update.after.preempt.erase(name);
    }
    return parts;
}

} // namespace

Result<QosStore> QosStore::open(Connection& connection) {
    auto tres = TresTable::load(connection);
    if (!tres) return tres.error();
    return QosStore(connection, std::move(*tres));
}

Result<std::vector<StoredQos>> QosStore::read_all() {
    const auto list = connection_->ask("read the QOS records", [](void* handle) {
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

Result<void> QosStore::write(const QosPlan& plan, std::span<const StoredQos> all, WriteMode mode) {
    if (const auto done = expect_no_preempt_loop(plan, all); !done) return done.error();
    const SplitUpdates updates = split_by_preempt(plan);
    QosNames names = names_of(all);
    const auto changes =
        group(updates.first, names); // tells what is wrong with them before anything is written
    if (!changes) return changes.error();
    for (const auto& records : in_preempt_order(plan.created))
        if (const auto done = create(records, names, mode); !done) return done;
    if (mode == WriteMode::write)
        if (const auto done = modify(*changes); !done) return done;
    if (!updates.preempting_new.empty())
        if (const auto done = create(updates.preempting_new, names, mode); !done) return done;
    if (mode == WriteMode::check_only) return {};
    if (!plan.removed.empty())
        if (const auto done = remove(plan.removed); !done) return done;
    return confirm(plan);
}

Result<void> QosStore::create(std::span<const model::QosRecord> records, QosNames& names, WriteMode mode) {
    std::deque<WireQos> wires; // never moves its elements
    const slurm::OwnedList list = slurm::make_borrowing_list();
    for (const model::QosRecord& record : records) {
        auto patch = make_patch(model::QosRecord{}, record, tres_, names);
        if (!patch) return patch.error().in(record.name);
        slurm::append(list, wires.emplace_back(record.name, std::move(*patch)).get());
    }
    if (mode == WriteMode::check_only) {
        // Stand-ins for the ids that they would get.
        for (const model::QosRecord& record : records)
            names.emplace(names.empty() ? 1 : names.rbegin()->first + 1, record.name);
        return {};
    }
    const auto done = connection_->tell(
        records.size() == 1 ? "create QOS " + records.front().name
                            : text::format("create {} QOSs", records.size()),
        [&](void* handle) { return slurmdb_qos_add(handle, list.get()); }, late::locks);
    if (!done) return done;
    const auto all = read_all();
    if (!all) return all.error();
    names = names_of(*all);
    return {};
}

Result<std::vector<QosStore::Change>> QosStore::group(std::span<const QosUpdate> updates,
                                                      const QosNames& names) const {
    std::vector<std::vector<model::QosRecord>> ways;
    std::size_t max_steps = 0;
    for (const QosUpdate& update : updates) {
        auto& way = ways.emplace_back(intermediate_records(update.before, update.after));
        way.insert(way.begin(), update.before);
        max_steps = std::max(max_steps, way.size());
    }
    std::vector<Change> changes;
    for (std::size_t step = 1; step < max_steps; ++step) {
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

Result<void> QosStore::modify(const std::vector<Change>& changes) {
    for (const Change& change : changes) {
        const std::string what = "modify QOS " + text::join(change.names, ",");
        NameCondition condition(change.names);
        WireQos wire({}, change.patch);
        const auto touched = connection_->ask(
            what, [&](void* handle) { return slurmdb_qos_modify(handle, condition.get(), wire.get()); },
            late::locks);
        if (!touched) return touched.error();
        if (const auto done = expect_count(*touched, change.names.size(), what); !done) return done;
    }
    return {};
}

Result<void> QosStore::announce_preempt(std::span<const model::QosRecord> records,
                                        std::span<const StoredQos> all) {
    const QosNames names = names_of(all);
    std::vector<Change> changes;
    for (const model::QosRecord& record : records) {
        // As a whole, as for a new QOS: slurmdbd damages the list when it adds what is in it.
        model::QosRecord only_preempt;
        only_preempt.preempt = record.preempt;
        auto patch = make_patch(model::QosRecord{}, only_preempt, tres_, names);
        if (!patch) return patch.error().in(record.name);
        changes.push_back({std::move(*patch), {record.name}});
    }
    return modify(changes);
}

Result<void> QosStore::remove(std::span<const model::QosRecord> records) {
    QG_CHECK(!records.empty()); // slurmdbd takes an empty condition for every QOS
    std::vector<std::string> names;
    for (const model::QosRecord& record : records)
        names.push_back(record.name);
    const std::string what = "delete QOS " + text::join(names, ",");
    NameCondition condition(names);
    const auto touched = connection_->ask(
        what, [&](void* handle) { return slurmdb_qos_remove(handle, condition.get()); }, late::locks);
    if (!touched) return touched.error();
    return expect_count(*touched, names.size(), what);
}

Result<void> QosStore::confirm(const QosPlan& plan) {
    const auto all = read_all();
    if (!all) return all.error();
    for (const model::QosRecord& record : plan.created)
        if (const auto done = expect_stored(record, plan, *all); !done) return done;
    for (const QosUpdate& update : plan.updated)
        if (const auto done = expect_stored(update.after, plan, *all); !done) return done;
    for (const model::QosRecord& record : plan.removed)
        if (find_qos(*all, record.name) != nullptr)
            return Error{ErrorCode::conflict,
                         text::format("QOS '{}' was not deleted: slurmdbd or its database restarted "
                                      "meanwhile; try again",
                                      text::printable(record.name))};
    return {};
}

} // namespace qg::slurmdb
