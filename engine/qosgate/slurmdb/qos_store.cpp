// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/qos_store.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/slurmdb/qos_stages.hpp"

#include <algorithm>

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
                         "characters; nothing was changed, use others",
                         what, text::printable(text))};
}

Error not_stored(const model::QosRecord& record) {
    if (!is_ascii(record.name)) return not_storable("name", record.name);
    return {ErrorCode::conflict, text::format("QOS '{}' was not stored: slurmdbd or its database restarted "
                                              "meanwhile; nothing was changed, try again",
                                              text::printable(record.name))};
}

/// The error if a record is not stored as planned; empty if it is.
Result<void> expect_stored(const model::QosRecord& wanted, std::span<const StoredQos> all) {
    const StoredQos* stored = find_qos(all, wanted.name);
    if (stored == nullptr) return not_stored(wanted);
    const auto wrong = model::differences(wanted, stored->record);
    if (wrong.empty()) return {};
    if (wanted.description != stored->record.description && !is_ascii(wanted.description))
        return not_storable("description", wanted.description);
    return Error{ErrorCode::conflict,
                 text::format("QOS '{}': slurmdbd stored {}={} instead of {}; nothing was changed",
                              text::printable(wanted.name), wrong.front().field->name,
                              text::printable(wrong.front().after, 1000),
                              text::printable(wrong.front().before, 1000))};
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
    const QosNames names = names_of(all);
    std::deque<WireQos> wires; // never moves its elements
    for (const model::QosRecord& record : plan.created) {
        auto patch = make_patch(model::QosRecord{}, record, tres_, names);
        if (!patch) return patch.error().in(record.name);
        wires.emplace_back(record.name, std::move(*patch));
    }
    const auto changes = group(plan.updated, names);
    if (!changes) return changes.error();
    if (mode == WriteMode::check_only) return {};
    if (!wires.empty())
        if (const auto done = create(plan.created, wires); !done) return done;
    if (const auto done = modify(*changes); !done) return done;
    if (!plan.removed.empty())
        if (const auto done = remove(plan.removed); !done) return done;
    return confirm(plan);
}

Result<void> QosStore::create(std::span<const model::QosRecord> records, std::deque<WireQos>& wires) {
    const slurm::OwnedList list = slurm::make_borrowing_list();
    for (WireQos& wire : wires)
        slurm::append(list, wire.get());
    return connection_->tell(
        records.size() == 1 ? "create QOS " + records.front().name
                            : text::format("create {} QOSs", records.size()),
        [&](void* handle) { return slurmdb_qos_add(handle, list.get()); }, late::locks);
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
        if (const auto done = expect_stored(record, *all); !done) return done;
    for (const QosUpdate& update : plan.updated)
        if (const auto done = expect_stored(update.after, *all); !done) return done;
    for (const model::QosRecord& record : plan.removed)
        if (find_qos(*all, record.name) != nullptr)
            return Error{ErrorCode::conflict,
                         text::format("QOS '{}' was not deleted: slurmdbd or its database restarted "
                                      "meanwhile; nothing was changed, try again",
                                      text::printable(record.name))};
    return {};
}

} // namespace qg::slurmdb
