// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/drift_report.hpp"

#include "common/output.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/spec/changes.hpp"
#include "qosgate/spec/drift.hpp"

namespace qg::cli {
namespace {

constexpr std::size_t max_drift_words = 8000;

constexpr const char* not_there = "does not exist";

bool is_missing(const DriftRow& row) {
    return row.field.empty() && row.live == not_there;
}

void add_access_rows(const spec::Drift& drift, std::vector<DriftRow>& rows) {
    for (const spec::AccessSummary& access : drift.access) {
        const auto add = [&](const std::vector<model::AssociationName>& names, std::string_view wanted,
                             std::string_view live, std::string_view sentence) {
            if (names.empty()) return;
            const std::string who = spec::list_associations(names);
            rows.push_back({access.qos, "access", text::format("{} {}", wanted, who), std::string(live),
                            text::format("{}: {}", sentence, who),
                            drift.managed_access.contains(access.qos)});
        };
        add(access.granted, "may use it:", "they may not", "wanted, and missing");
        add(access.revoked, "may not use it:", "they may", "not wanted, and there");
        add(access.default_for, "it is the default of", "it is not", "it is not the default, as wanted, of");
        add(access.cleared_for, "it is not the own default of", "it is",
            "it is the default, which is not wanted, of");
    }
}

} // namespace

std::vector<DriftRow> list_drift(const spec::Plan& plan, const spec::LiveState& live) {
    const spec::Drift drift = spec::find_drift(plan, live.qos);
    std::vector<DriftRow> rows;
    for (const std::string& name : drift.missing)
        rows.push_back({name, {}, "exists", not_there, "is wanted, and does not exist"});
    for (const spec::DriftedField& field : drift.fields)
        rows.push_back({field.qos, field.field, field.wanted, field.live,
                        text::format("wanted {}, is {}", field.wanted, field.live), field.is_managed});
    for (const std::string& name : drift.leftover)
        rows.push_back({name, {}, not_there, "exists", "exists, and is not wanted any more", true});
    add_access_rows(drift, rows);
    return rows;
}

void add_actors(std::vector<DriftRow>& drift, std::span<const slurmdb::LoggedChange> log) {
    for (DriftRow& each : drift) {
        if (each.field == "access") continue; // the log names associations by numbers
        const slurmdb::LoggedChange* change = is_missing(each)
                                                  ? slurmdb::find_removal(log, each.qos)
                                                  : slurmdb::find_change(log, each.qos, each.field);
        if (change == nullptr) continue;
        each.actor = change->actor;
        each.time = change->time;
    }
}

void print(const std::vector<DriftRow>& drift, std::ostream& out) {
    for (const DriftRow& each : drift) {
        out << text::format("{}{}{}: {}", text::printable(each.qos), each.field.empty() ? "" : ": ",
                            each.field, text::printable(each.sentence, max_drift_words));
        if (!each.actor.empty())
            out << text::format(" ({} by {} at {})", is_missing(each) ? "deleted" : "last changed",
                                text::printable(each.actor), text::local_time(each.time));
        out << '\n';
    }
}

Json to_json(const std::vector<DriftRow>& drift) {
    Json list = Json::array();
    for (const DriftRow& each : drift)
        list.push_back({{"qos", each.qos},
                        {"field", each.field.empty() ? Json() : Json(each.field)},
                        {"wanted", each.wanted},
                        {"live", each.live},
                        {"is_managed", each.is_managed},
                        {"actor", each.actor.empty() ? Json() : Json(each.actor)},
                        {"time", each.actor.empty() ? Json() : Json(each.time)}});
    return list;
}

} // namespace qg::cli
