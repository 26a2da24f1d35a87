// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/drift.hpp"

#include <algorithm>

namespace qg::spec {
namespace {

std::string owner_of_access(const model::QosRecord& record) {
    return read_mark(record.description).ownership.owner_of(access_field);
}

} // namespace

Drift find_drift(const Plan& plan, std::span<const model::QosRecord> live) {
    Drift drift;
    for (const model::QosRecord& record : plan.created)
        drift.missing.push_back(record.name);
    for (const model::QosRecord& record : plan.removed)
        drift.leftover.push_back(record.name);
    for (const PlannedUpdate& update : plan.updated) {
        const Ownership before = read_mark(update.before.description).ownership;
        const Ownership after = read_mark(update.after.description).ownership;
        if (is_mark_only(update)) drift.unmarked.push_back(update.after.name);
        for (const model::FieldDifference& difference : differences(update)) {
            const std::string owner = before.owner_of(difference.field->name);
            drift.fields.push_back({update.after.name, std::string(difference.field->name), difference.after,
                                    difference.before,
                                    !owner.empty() && owner == after.owner_of(difference.field->name)});
        }
    }
    drift.access = summarize_access(plan);
    for (const AccessSummary& access : drift.access) {
        const auto record = std::ranges::find(live, access.qos, &model::QosRecord::name);
        if (record == live.end()) continue;
        const auto update = std::ranges::find(plan.updated, access.qos,
                                              [](const PlannedUpdate& each) { return each.after.name; });
        const std::string owner = owner_of_access(*record);
        if (!owner.empty() && (update == plan.updated.end() || owner == owner_of_access(update->after)))
            drift.managed_access.insert(access.qos);
    }
    return drift;
}

} // namespace qg::spec
