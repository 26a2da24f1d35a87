// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/admin/qos_manager.hpp"

#include "qosgate/admin/apply.hpp"
#include "qosgate/admin/uses.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/qos_commit.hpp"
#include "qosgate/spec/changes.hpp"

#include <algorithm>

namespace qg::admin {
namespace {

using model::QosRecord;
using slurmdb::StoredQos;

void ignore(slurmdb::CommitStep /*step*/) {}

bool is_wanted(const QosRecord& record, const ListOptions& options) {
    const auto matches = [&](const std::string& pattern) { return text::matches(record.name, pattern); };
    const bool named = options.patterns.empty() || std::ranges::any_of(options.patterns, matches);
    return named && record.priority >= options.min_priority && record.priority <= options.max_priority &&
           std::ranges::includes(record.flags, options.flags);
}

/// Errors: not_found for a name, rather than a pattern, that no QOS has.
Result<void> expect_names(std::span<const StoredQos> all, const ListOptions& options) {
    constexpr std::string_view wildcards = "*?[\\";
    for (const std::string& name : options.patterns)
        if (name.find_first_of(wildcards) == std::string::npos && slurmdb::find_qos(all, name) == nullptr)
            return slurmdb::unknown_qos(all, name);
    return {};
}

} // namespace

Result<slurmdb::QosPlan> with_marks(Result<slurmdb::QosPlan> plan) {
    if (!plan) return plan;
    for (const QosRecord& record : plan->created)
        if (const auto done = spec::expect_no_mark(record.description); !done) return done.error();
    for (slurmdb::QosUpdate& update : plan.value().updated) {
        if (update.before.description == update.after.description) continue;
        if (const auto done = spec::expect_no_mark(update.after.description); !done) return done.error();
        update.after.description = spec::keep_mark(update.before.description, update.after.description);
    }
    return plan;
}

Result<QosPage> choose(std::span<const StoredQos> all, const ListOptions& options) {
    if (const auto done = expect_names(all, options); !done) return done.error();
    const auto sort_by = model::get_qos_field(options.sort_by);
    if (!sort_by) return sort_by.error();
    QosPage page;
    for (const StoredQos& qos : all)
        if (is_wanted(qos.record, options)) page.records.push_back(spec::without_mark(qos.record));
    std::stable_sort(page.records.begin(), page.records.end(), [&](const QosRecord& a, const QosRecord& b) {
        return model::sorts_before(*sort_by->field, a, b, options.is_descending);
    });
    page.total = page.records.size();
    const std::size_t first = std::min(options.offset, page.total);
    const std::size_t count = std::min(options.limit, page.total - first);
    const auto begin = page.records.begin() + static_cast<std::ptrdiff_t>(first);
    page.records.erase(begin + static_cast<std::ptrdiff_t>(count), page.records.end());
    page.records.erase(page.records.begin(), begin);
    return page;
}

Result<QosPage> QosManager::list(const ListOptions& options) {
    const slurmdb::Transaction fresh(client_->connection());
    const auto all = client_->store().read_all();
    if (!all) return all.error();
    return choose(*all, options);
}

Result<QosRecord> QosManager::get(std::string_view name) {
    const slurmdb::Transaction fresh(client_->connection());
    const auto all = client_->store().read_all();
    if (!all) return all.error();
    const StoredQos* found = slurmdb::find_qos(*all, name);
    if (found == nullptr) return slurmdb::unknown_qos(*all, name);
    return spec::without_mark(found->record);
}

Result<void> QosManager::create(std::vector<QosRecord> records) {
    for (QosRecord& record : records) {
        auto name = model::parse_new_qos_name(record.name);
        if (!name) return name.error();
        record.name = std::move(*name);
    }
    const auto done = slurmdb::commit_plan(
        client_->connection(), client_->store(),
        [&](std::span<const StoredQos> all) { return with_marks(slurmdb::plan_creation(all, records)); },
        ignore);
    return done ? Result<void>() : done.error();
}

Result<std::vector<QosRecord>> QosManager::update(std::span<const std::string> names,
                                                  const model::QosChange& change) {
    const auto done = slurmdb::commit_plan(
        client_->connection(), client_->store(),
        [&](std::span<const StoredQos> all) { return with_marks(slurmdb::plan_update(all, names, change)); },
        ignore);
    if (!done) return done.error();
    std::vector<QosRecord> records;
    for (const slurmdb::QosUpdate& update : done->updated)
        records.push_back(spec::without_mark(update.after));
    return records;
}

Result<void> QosManager::remove(const std::vector<std::string>& names, RemovalMode mode) {
    spec::Plan plan;
    plan.cluster = client_->cluster();
    {
        const slurmdb::Transaction fresh(client_->connection());
        const auto all = client_->store().read_all();
        if (!all) return all.error();
        const auto removal = slurmdb::plan_removal(*all, names);
        if (!removal) return removal.error();
        plan.removed = removal->removed;
        auto uses = find_lasting_uses(client_->connection(), client_->store(), plan);
        if (!uses) return uses.error();
        if (mode == RemovalMode::also_used) {
            std::erase_if(uses->found, [](const slurmdb::QosUse& use) { return use.kind->can_be_forced; });
            uses->slurmctld_failure.clear();
        }
        if (const auto unused = expect_no_use(*uses); !unused) return unused;
    }
    return apply(client_->connection(), plan, ignore, {});
}

} // namespace qg::admin
