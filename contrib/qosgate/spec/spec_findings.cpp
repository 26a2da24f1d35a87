// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/spec_findings.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/spec/changes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace qg::cli {
namespace {

constexpr std::string_view priority_field = "Priority";

const spec::DesiredQos* find_desired(const spec::Desired& desired, const std::string& name) {
    const auto found = std::ranges::find(desired.qos, name, &spec::DesiredQos::name);
    return found == desired.qos.end() ? nullptr : &*found;
}

/// The QOS of the files that a finding is about; null: none.
const spec::DesiredQos* find_subject(const spec::Desired& desired, const report::Finding& finding) {
    if (finding.code != "priority-ignored") return find_desired(desired, finding.qos);
    // It is about slurm.conf, and about each QOS that has a priority.
    const auto has_priority = [](const spec::DesiredQos& qos) {
        return std::ranges::any_of(qos.fields, [](const auto& entry) {
            const auto* value = std::get_if<model::FieldValue>(&entry.second.value);
            const auto* priority = value == nullptr ? nullptr : std::get_if<std::uint32_t>(value);
            return entry.first->name == priority_field && priority != nullptr && *priority != 0;
        });
    };
    const auto found = std::ranges::find_if(desired.qos, has_priority);
    return found == desired.qos.end() ? nullptr : &*found;
}

/// "MaxWall" of "MaxWall=1:00:00", "Flags" of "Flags-=NoDecay"
std::string_view field_of(std::string_view assignment) {
    std::string_view name = assignment.substr(0, assignment.find('='));
    if (name.ends_with('+') || name.ends_with('-')) name.remove_suffix(1);
    return name;
}

/// Where the files name the field of a finding, or else the QOS.
spec::Position position_of(const spec::DesiredQos& qos, const report::Finding& finding) {
    const std::string_view name =
        finding.code == "priority-ignored" ? priority_field : field_of(finding.assignment);
    for (const auto& [field, desired] : qos.fields)
        if (field->name == name && !desired.position.file.empty()) return desired.position;
    return qos.position;
}

/// An assignment in words: what to write in a spec.
std::string words_for(const std::string& assignment) {
    const std::string field(field_of(assignment));
    const std::string value = assignment.substr(assignment.find('=') + 1);
    const char sign = assignment[assignment.find('=') - 1];
    if (sign == '+') return text::format("add {} to {}", value, field);
    if (sign == '-') return text::format("take {} out of {}", value, field);
    if (value == "-1" || value == "unset") return text::format("{}: unset", field);
    if (value.ends_with("=-1"))
        return text::format("take {} out of {}", value.substr(0, value.rfind('=')), field);
    return text::format("{}: {}", field, value);
}

/// What to do in the file instead of the command that the finding has.
std::string cure_in_file(const report::Finding& finding, const spec::DesiredQos& qos,
                         const std::string& place) {
    const std::string where = text::format("# {}: QOS {}: ", place, text::printable(finding.qos));
    if (finding.code == "qos-unused" && qos.access && !qos.access->accounts.empty())
        return where +
               text::format("no user gets it from {}, which access names: add users there, or name others",
                            text::printable(text::list_names(qos.access->accounts), 1000));
    if (finding.code == "qos-unused") return where + "name those who may use it below access";
    if (finding.assignment.empty()) return finding.cure;
    const std::string words = words_for(finding.assignment);
    return where + (finding.advice.empty() ? words : finding.advice + ": " + words);
}

auto key_of_finding(const report::Finding& finding) {
    return std::tuple(finding.code, finding.where, finding.text);
}

} // namespace

const spec::Silenced* find_silenced(const spec::Desired& desired, const report::Finding& finding) {
    const auto silences = [&](const spec::Silenced& each) {
        return each.code == finding.code && (each.qos.empty() || each.qos == finding.qos);
    };
    const auto found = std::ranges::find_if(desired.silenced, silences);
    return found == desired.silenced.end() ? nullptr : &*found;
}

SpecFindings choose_findings(const std::vector<report::Finding>& before,
                             const std::vector<report::Finding>& after, const spec::Desired& desired,
                             const spec::Plan& plan) {
    std::set<std::tuple<std::string_view, std::string, std::string>> known;
    for (const report::Finding& finding : before)
        known.insert(key_of_finding(finding));
    std::set<std::string> deleted;
    for (const model::QosRecord& record : plan.removed)
        deleted.insert(record.name);
    SpecFindings found;
    for (const report::Finding& finding : after) {
        const spec::DesiredQos* qos = find_subject(desired, finding);
        if (qos == nullptr && known.contains(key_of_finding(finding))) {
            ++found.others;
            continue;
        }
        if (const spec::Silenced* silenced = find_silenced(desired, finding)) {
            found.silenced.push_back({finding, silenced->reason});
            continue;
        }
        SpecFinding shown{.finding = finding, .cure = finding.cure};
        if (qos != nullptr) {
            shown.position = position_of(*qos, finding);
            shown.place = text::printable(shown.position.file, 1000);
            if (shown.position.line > 0) shown.place += text::format(":{}", shown.position.line);
            if (!shown.place.empty()) shown.cure = cure_in_file(finding, *qos, shown.place);
        }
        found.shown.push_back(std::move(shown));
    }
    return found;
}

report::LintInput with_plan(report::LintInput input, const spec::Plan& plan, const spec::LiveState& live) {
    std::map<std::string, model::QosRecord> qos;
    for (model::QosRecord& record : input.qos)
        qos.emplace(record.name, std::move(record));
    for (const model::QosRecord& record : plan.created)
        qos.insert_or_assign(record.name, record);
    for (const spec::PlannedUpdate& update : plan.updated)
        qos.insert_or_assign(update.after.name, update.after);
    for (const model::QosRecord& record : plan.removed)
        qos.erase(record.name);
    input.qos.clear();
    for (auto& [name, record] : qos)
        input.qos.push_back(std::move(record));
    const spec::LiveState after = spec::apply_to(plan, live);
    std::map<std::tuple<std::string, std::string, std::string>, const model::AssociationRecord*> by_name;
    for (const model::AssociationRecord& each : after.associations)
        by_name.emplace(std::tuple(each.name.account, each.name.user, each.name.partition), &each);
    for (report::LintAssociation& association : input.associations) {
        const auto at = by_name.find(
            std::tuple(text::lower(association.account), association.user, association.partition));
        if (at == by_name.end() || !association.qos) continue;
        association.qos.emplace(at->second->qos.begin(), at->second->qos.end());
        association.default_qos = at->second->default_qos;
    }
    return input;
}

spec::Desired without_cluster(spec::Desired desired) {
    for (spec::DesiredQos& qos : desired.qos) {
        qos.access.reset();
        for (auto& [field, wanted] : qos.fields) {
            auto* tres = std::get_if<spec::DesiredTres>(&wanted.value);
            if (tres == nullptr) continue;
            std::erase_if(tres->counts, [](const auto& count) {
                return std::holds_alternative<spec::Share>(count.second);
            });
        }
    }
    return desired;
}

spec::LiveState world_named_by(const spec::Desired& desired) {
    std::set<std::string> names;
    for (const spec::DesiredQos& qos : desired.qos)
        for (const auto& [field, wanted] : qos.fields) {
            const auto* value = std::get_if<model::FieldValue>(&wanted.value);
            const auto* listed = value == nullptr ? nullptr : std::get_if<model::NameSet>(value);
            if (listed == nullptr || field->kind != model::FieldKind::qos_names) continue;
            for (const std::string& name : *listed)
                if (find_desired(desired, name) == nullptr) names.insert(name);
        }
    spec::LiveState live;
    for (const std::string& name : names) {
        model::QosRecord record;
        record.name = name;
        live.qos.push_back(std::move(record));
    }
    return live;
}

} // namespace qg::cli
