// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/report/changed_qos.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/model/qos_fields.hpp"
#include "qosgate/model/qos_flags.hpp"

#include <algorithm>
#include <limits>
#include <variant>

namespace qg::report {
namespace {

using model::QosField;
using model::QosRecord;

constexpr std::string_view example = "--qos 'normal:MaxTRESPerUser=gres/gpu=4'";

/// What is before and behind the colon, in words.
struct ChangeText {
    std::vector<std::string> names;
    std::vector<std::string> assignments;
};

Result<ChangeText> take_apart(const std::string& change) {
    const std::size_t colon = change.find(':');
    if (colon == change.npos || change.find('=') < colon)
        return invalid(text::format("--qos {}: write {}", text::quoted(change), example));
    ChangeText parts;
    for (const std::string_view name : text::split(std::string_view(change).substr(0, colon), ','))
        parts.names.emplace_back(name);
    for (const std::string_view word : text::split(std::string_view(change).substr(colon + 1), ' '))
        parts.assignments.emplace_back(word);
    if (parts.names.empty() || parts.assignments.empty())
        return invalid(text::format("--qos {}: write {}", text::quoted(change), example));
    return parts;
}

/// The fields of a record that decide about jobs in a world.
bool decides(const QosField& field) {
    constexpr std::string_view others[] = {"Priority", "Flags", "UsageFactor", "LimitFactor"};
    return model::find_tres_limit(field.name) || model::find_count_limit(field.name) ||
           std::ranges::find(others, field.name) != std::end(others);
}

std::uint32_t to_32_bits(std::uint64_t value) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

QosRecord to_record(const model::Qos& qos, const model::TresCatalogue& tres) {
    QosRecord record;
    record.name = qos.name;
    record.priority = qos.priority;
    record.usage_factor = qos.usage_factor;
    record.limit_factor = qos.limit_factor;
    for (const model::QosFlagFacts& flag : model::qos_flag_facts)
        if (flag.member != nullptr && qos.flags.*flag.member) record.flags.emplace(flag.name);
    for (const QosField& field : model::qos_fields()) {
        if (const auto limit = model::find_count_limit(field.name)) {
            if (const auto value = qos.limits.get(*limit))
                model::put_field(field, record, to_32_bits(*value));
        } else if (const auto of_tres = model::find_tres_limit(field.name)) {
            model::TresLimits values;
            for (std::size_t i = 0; i < tres.size(); ++i)
                if (const auto value = qos.limits.get(*of_tres, i)) values.emplace(tres.name(i), *value);
            if (!values.empty()) model::put_field(field, record, values);
        }
    }
    return record;
}

void take_limit(const QosField& field, const QosRecord& record, const model::TresCatalogue& tres,
                model::Limits& limits) {
    const model::FieldValue value = model::get_field(field, record);
    if (const auto limit = model::find_count_limit(field.name)) {
        if (const auto* count = std::get_if<std::uint32_t>(&value)) limits.set(*limit, *count);
        return;
    }
    const auto limit = model::find_tres_limit(field.name);
    const auto* counts = std::get_if<model::TresLimits>(&value);
    if (!limit || counts == nullptr) return;
    for (const auto& [name, count] : *counts)
        if (const auto index = tres.find(name)) limits.set(*limit, *index, count);
}

void take_record(model::Qos& qos, const QosRecord& record, const model::TresCatalogue& tres) {
    qos.priority = record.priority;
    qos.usage_factor = record.usage_factor;
    qos.limit_factor = record.limit_factor;
    for (const model::QosFlagFacts& flag : model::qos_flag_facts)
        if (flag.member != nullptr) qos.flags.*flag.member = record.flags.contains(std::string(flag.name));
    qos.limits = model::Limits(tres.size());
    for (const QosField& field : model::qos_fields())
        take_limit(field, record, tres, qos.limits);
}

Result<quota::LocalQos*> find_local_qos(quota::LocalRecords& records, const std::string& name) {
    std::vector<std::string> names;
    for (quota::LocalQos& local : records.qos) {
        if (text::iequals(local.qos.name, name)) return &local;
        names.push_back(local.qos.name);
    }
    return Error{ErrorCode::not_found, text::format("there is no QOS '{}'{}", text::printable(name, 60),
                                                    text::did_you_mean(name, names))};
}

} // namespace

Result<std::vector<std::string>> change_qos(quota::LocalRecords& records,
                                            const std::vector<std::string>& changes) {
    std::vector<std::string> done;
    for (const std::string& given : changes) {
        const auto parts = take_apart(given);
        if (!parts) return parts.error();
        const auto change = model::QosChange::parse(parts->assignments, *records.tres);
        if (!change) return change.error().in("--qos");
        for (const std::string& name : parts->names) {
            const auto found = find_local_qos(records, name);
            if (!found) return found.error().in("--qos");
            model::Qos& qos = (*found)->qos;
            const QosRecord before = to_record(qos, *records.tres);
            const QosRecord after = change->apply_to(before);
            for (const model::FieldDifference& difference : model::differences(before, after)) {
                if (!decides(*difference.field))
                    return invalid(text::format("--qos: {} has no part in the decision about a job",
                                                difference.field->name));
                done.push_back(text::format("QOS {}: {}: {} -> {}", qos.name, difference.field->name,
                                            difference.before, difference.after));
            }
            take_record(qos, after, *records.tres);
        }
    }
    return done;
}

void put_qos(quota::LocalRecords& records, const QosRecord& record) {
    const auto found = find_local_qos(records, record.name);
    if (found) {
        take_record((*found)->qos, record, *records.tres);
        return;
    }
    quota::LocalQos fresh;
    fresh.qos.name = record.name;
    take_record(fresh.qos, record, *records.tres);
    records.qos.push_back(std::move(fresh));
}

void remove_qos(quota::LocalRecords& records, const std::string& name) {
    const auto is_it = [&](const std::string& other) { return text::iequals(other, name); };
    std::erase_if(records.qos, [&](const quota::LocalQos& each) { return is_it(each.qos.name); });
    for (quota::LocalAssociation& association : records.associations)
        if (association.permitted_qos) std::erase_if(*association.permitted_qos, is_it);
}

} // namespace qg::report
