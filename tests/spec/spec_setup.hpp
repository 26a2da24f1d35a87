// SPDX-License-Identifier: GPL-2.0-or-later
//
// Builders for tests of spec: what files want, and live states.
#pragma once

#include "qosgate/model/qos_change.hpp"
#include "qosgate/spec/drift.hpp"
#include "qosgate/spec/history.hpp"
#include "qosgate/spec/ownership.hpp"
#include "qosgate/spec/plan.hpp"
#include "qosgate/spec/sacctmgr_text.hpp"

#include <map>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace qg::test {

template <>
inline constexpr auto
    fields_of<model::AssociationName> = std::tuple(field("account", &model::AssociationName::account),
                                                   field("user", &model::AssociationName::user),
                                                   field("partition", &model::AssociationName::partition));
template <>
inline constexpr auto fields_of<model::AssociationRecord> = std::tuple(
    field("name", &model::AssociationRecord::name), field("own", &model::AssociationRecord::own_qos),
    field("added", &model::AssociationRecord::added_qos),
    field("removed", &model::AssociationRecord::removed_qos), field("qos", &model::AssociationRecord::qos),
    field("default", &model::AssociationRecord::default_qos),
    field("own_default", &model::AssociationRecord::own_default_qos));
template <>
inline constexpr auto fields_of<model::OwnAccess> = std::tuple(field("whole", &model::OwnAccess::whole),
                                                               field("added", &model::OwnAccess::added),
                                                               field("removed", &model::OwnAccess::removed));
template <>
inline constexpr auto fields_of<model::AccessChange> =
    std::tuple(field("name", &model::AccessChange::name), field("granted", &model::AccessChange::granted),
               field("revoked", &model::AccessChange::revoked), field("own", &model::AccessChange::own),
               field("default", &model::AccessChange::default_qos));
template <>
inline constexpr auto fields_of<spec::PlannedUpdate> =
    std::tuple(field("before", &spec::PlannedUpdate::before), field("after", &spec::PlannedUpdate::after));
template <>
inline constexpr auto fields_of<spec::Share> = std::tuple(field("percent", &spec::Share::percent),
                                                          field("partition", &spec::Share::partition));
template <>
inline constexpr auto fields_of<spec::ResolvedShare> =
    std::tuple(field("qos", &spec::ResolvedShare::qos), field("field", &spec::ResolvedShare::field),
               field("tres", &spec::ResolvedShare::tres), field("share", &spec::ResolvedShare::share),
               field("count", &spec::ResolvedShare::count));
template <>
inline constexpr auto fields_of<spec::Conflict> = std::tuple(field("qos", &spec::Conflict::qos),
                                                             field("field", &spec::Conflict::field),
                                                             field("managed_by", &spec::Conflict::managed_by),
                                                             field("wanted_by", &spec::Conflict::wanted_by));
template <>
inline constexpr auto fields_of<spec::Plan> = std::tuple(field("created", &spec::Plan::created),
                                                         field("updated", &spec::Plan::updated),
                                                         field("removed", &spec::Plan::removed),
                                                         field("access", &spec::Plan::access),
                                                         field("shares", &spec::Plan::shares),
                                                         field("warnings", &spec::Plan::warnings));

template <>
inline constexpr auto fields_of<spec::Ownership> = std::tuple(field("creator", &spec::Ownership::creator),
                                                              field("managed", &spec::Ownership::managed));
template <>
inline constexpr auto
    fields_of<spec::MarkedDescription> = std::tuple(field("text", &spec::MarkedDescription::text),
                                                    field("ownership", &spec::MarkedDescription::ownership));
template <>
inline constexpr auto fields_of<spec::AccessSummary> = std::tuple(
    field("qos", &spec::AccessSummary::qos), field("granted", &spec::AccessSummary::granted),
    field("revoked", &spec::AccessSummary::revoked), field("default_for", &spec::AccessSummary::default_for),
    field("cleared_for", &spec::AccessSummary::cleared_for));
template <>
inline constexpr auto fields_of<spec::DriftedField> =
    std::tuple(field("qos", &spec::DriftedField::qos), field("field", &spec::DriftedField::field),
               field("wanted", &spec::DriftedField::wanted), field("live", &spec::DriftedField::live),
               field("is_managed", &spec::DriftedField::is_managed));
template <>
inline constexpr auto fields_of<spec::DumpOption> = std::tuple(field("key", &spec::DumpOption::key),
                                                               field("value", &spec::DumpOption::value));
template <>
inline constexpr auto fields_of<spec::DumpLine> = std::tuple(field("object", &spec::DumpLine::object),
                                                             field("name", &spec::DumpLine::name),
                                                             field("options", &spec::DumpLine::options));
template <>
inline constexpr auto fields_of<spec::HistoryRecord> = std::tuple(
    field("time", &spec::HistoryRecord::time), field("actor", &spec::HistoryRecord::actor),
    field("plan", &spec::HistoryRecord::plan), field("lost_access", &spec::HistoryRecord::lost_access),
    field("left_access", &spec::HistoryRecord::left_access));

inline const model::QosField* qos_field(std::string_view name) {
    return model::get_qos_field(name).value().field;
}

/// A record of sacctmgr's assignments; the description is the name unless it is given.
inline model::QosRecord stored_qos(const std::string& name,
                                   const std::vector<std::string>& assignments = {}) {
    static const model::TresCatalogue catalogue(
        {"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages", "gres/gpu"});
    model::QosRecord fresh;
    fresh.name = fresh.description = name;
    return model::QosChange::parse(assignments, catalogue).value().apply_to(fresh);
}

/// A record with a mark.
inline model::QosRecord marked(model::QosRecord record, spec::Ownership ownership) {
    record.description = spec::write_mark({record.description, std::move(ownership)});
    return record;
}

inline const spec::Ownership made_by_base{"base", {{"base", {"MaxWall"}}}};

/// What a spec wants of one QOS: a copy of the fields named, with their values in a record.
inline spec::DesiredQos wanted_qos(const std::string& name, const std::vector<std::string>& assignments = {},
                                   const std::string& owner = "base") {
    spec::DesiredQos qos{.name = name, .owner = owner};
    const model::QosRecord record = stored_qos(name, assignments);
    for (const std::string& assignment : assignments) {
        const auto match = model::get_qos_field(assignment.substr(0, assignment.find('='))).value();
        qos.fields[match.field].value = model::get_field(*match.field, record);
    }
    return qos;
}

inline spec::DesiredQos with_tres(spec::DesiredQos qos, std::string_view field, spec::DesiredTres tres) {
    qos.fields[qos_field(field)].value = std::move(tres);
    return qos;
}

inline spec::DesiredQos with_access(spec::DesiredQos qos, spec::DesiredAccess access) {
    qos.access = std::move(access);
    return qos;
}

inline spec::DesiredQos complete(spec::DesiredQos qos) {
    qos.is_complete = true;
    return qos;
}

inline model::AssociationRecord account(const std::string& name, const std::string& parent,
                                        std::optional<model::NameSet> own = {}) {
    return {.name = {"c", name, {}, {}}, .parent_account = parent, .own_qos = std::move(own)};
}

inline model::AssociationRecord user(const std::string& name, const std::string& in_account,
                                     std::optional<model::NameSet> own = {},
                                     const std::string& partition = {}) {
    return {.name = {"c", in_account, name, partition}, .parent_account = {}, .own_qos = std::move(own)};
}

inline model::AssociationRecord with_default(model::AssociationRecord record, const std::string& qos) {
    record.own_default_qos = qos;
    return record;
}

/// Associations in an order in which those above come first; what they inherit is filled in.
inline std::vector<model::AssociationRecord> associations(std::vector<model::AssociationRecord> records) {
    std::map<std::string, model::AssociationRecord> accounts;
    for (model::AssociationRecord& record : records) {
        const model::AssociationRecord above =
            accounts[record.name.user.empty() ? record.parent_account : record.name.account];
        record.qos = record.own_qos ? *record.own_qos : above.qos;
        for (const std::string& qos : record.removed_qos)
            record.qos.erase(qos);
        record.qos.insert(record.added_qos.begin(), record.added_qos.end());
        record.default_qos = record.own_default_qos ? record.own_default_qos : above.default_qos;
        if (record.name.user.empty()) accounts[record.name.account] = record;
    }
    return records;
}

inline spec::LiveState live(std::vector<model::QosRecord> qos,
                            std::vector<model::AssociationRecord> records = {}) {
    spec::LiveState state{"c", std::move(qos), associations(std::move(records)), {}};
    state.capacity[""] = {{"cpu", 1000}, {"mem", 4000}, {"gres/gpu", 3}, {"node", 4}};
    state.capacity["gpu"] = {{"cpu", 64}, {"gres/gpu", 3}};
    return state;
}

inline spec::Desired desired(std::vector<spec::DesiredQos> qos) {
    return {.qos = std::move(qos)};
}

/// The problems with their places.
inline std::vector<std::string> texts_of(const std::vector<spec::Problem>& problems) {
    std::vector<std::string> texts;
    for (const spec::Problem& problem : problems)
        texts.push_back(spec::to_text(problem));
    return texts;
}

/// The plan, if there is one.
inline spec::Plan plan_of(std::vector<spec::DesiredQos> qos, const spec::LiveState& state,
                          const spec::PlanOptions& options = {}) {
    spec::Planned planned = spec::make_plan(desired(std::move(qos)), state, options);
    BOOST_TEST(texts_of(planned.problems) == std::vector<std::string>{});
    BOOST_TEST(planned.conflicts == std::vector<spec::Conflict>{});
    return std::move(planned.plan);
}

/// The one problem that prevents the plan.
inline std::string problem_of(std::vector<spec::DesiredQos> qos, const spec::LiveState& state) {
    const spec::Planned planned = spec::make_plan(desired(std::move(qos)), state, {});
    BOOST_TEST(!planned.plan.changes_anything());
    BOOST_TEST_REQUIRE(planned.problems.size() == 1u);
    return spec::to_text(planned.problems.front());
}

} // namespace qg::test
