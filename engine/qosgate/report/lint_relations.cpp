// SPDX-License-Identifier: GPL-2.0-or-later
//
// The checks of lint that look at what QOSs are to each other, to partitions, and to those who name no QOS.
#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_fields.hpp"
#include "qosgate/model/qos_flag_name.hpp"
#include "qosgate/report/lint_checks.hpp"

#include <algorithm>

namespace qg::report::lint {
namespace {

using model::LimitMeasure;
using model::LimitScope;
using model::LimitSense;
using model::QosRecord;

/// slurmdbd creates it, and gives it to each new cluster.
constexpr const char* first_qos = "normal";

/// The partitions that have it.
std::vector<std::string> partitions_with(const LintInput& input, const QosRecord& qos) {
    std::vector<std::string> names;
    for (const model::Partition& partition : input.partitions)
        if (is_qos_of(partition, qos.name)) names.push_back(text::printable(partition.name));
    return names;
}

/// The limits that a job that asks for something of this kind can never meet.
std::vector<std::string> find_impossible(const QosRecord& qos) {
    std::vector<std::string> impossible;
    const auto limits = limits_of(qos);
    for (const SetLimit& limit : limits) {
        if (limit.facts->measure != LimitMeasure::tres) continue;
        if (limit.facts->sense == LimitSense::maximum && limit.value == 0) {
            impossible.push_back(limit.text());
            continue;
        }
        const auto is_below = [&](const SetLimit& other) {
            return limit.facts->sense == LimitSense::minimum && other.facts->sense == LimitSense::maximum &&
                   other.tres == limit.tres && other.facts->measure == LimitMeasure::tres &&
                   other.facts->scope != LimitScope::node && other.value < limit.value;
        };
        if (std::ranges::any_of(limits, is_below)) impossible.push_back(limit.text());
    }
    return impossible;
}

} // namespace

void relative_above_hundred(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        if (!model::has_flag(qos, "Relative")) continue;
        for (const SetLimit& limit : limits_of(qos)) {
            if (limit.facts->measure != LimitMeasure::tres || limit.value <= 100) continue;
            findings.change(qos,
                            text::format("{} is more than 100 percent: with the flag Relative, limits of "
                                         "TRES are percentages",
                                         limit.text()),
                            limit.unset_text());
        }
    }
}

void relative_of_jobs(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        if (!model::has_flag(qos, "Relative")) continue;
        const auto partitions = partitions_with(input, qos);
        if (partitions.empty()) continue;
        const std::string having = text::list_names(partitions);
        if (partitions.size() > 1)
            findings.advise(qos,
                            text::format("it has the flag Relative and is the QOS of {} partitions ({}): its "
                                         "percentages can be those of one partition only",
                                         partitions.size(), having),
                            "give each of these partitions a QOS of its own");
        const bool is_in_list = std::ranges::any_of(input.associations, [&](const LintAssociation& each) {
            return each.level == model::AssociationLevel::user && each.qos && has_name(*each.qos, qos.name);
        });
        if (is_in_list)
            findings.advise(qos,
                            text::format("it has the flag Relative, is the QOS of partition {}, and is in "
                                         "the lists of users: slurmctld accepts no job with it",
                                         having),
                            "take it out of the lists of users, or give the partition another QOS");
    }
}

void deny_on_limit_missing(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        if (model::has_flag(qos, "DenyOnLimit")) continue;
        const auto impossible = find_impossible(qos);
        if (impossible.empty()) continue;
        findings.change(qos,
                        text::format("jobs that cannot meet {} wait for ever: only with the flag DenyOnLimit "
                                     "are they refused",
                                     text::list_names(impossible)),
                        "Flags+=DenyOnLimit");
    }
}

void no_reserve_not_preempted(const LintInput& input, Findings& findings) {
    if (input.settings.preempt_type == "preempt/partition_prio") return; // partitions preempt it there
    for (const QosRecord& qos : input.qos) {
        const auto preempts_it = [&](const QosRecord& other) { return other.preempt.contains(qos.name); };
        if (!model::has_flag(qos, "NoReserve") || std::ranges::any_of(input.qos, preempts_it)) continue;
        findings.change(qos,
                        "the flag NoReserve is meant for jobs that others may preempt, and no QOS may "
                        "preempt it: no nodes are reserved for its large jobs, which may wait for ever",
                        "Flags-=NoReserve");
    }
}

void preempts_nobody(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos)
        for (const std::string& name : qos.preempt) {
            const QosRecord* other = find_qos(input, name);
            const bool has_jobs = other == nullptr || may_be_used(input, other->name);
            if (has_jobs) continue;
            findings.change(
                qos,
                text::format("it may preempt jobs of QOS {}, which nobody may use", text::printable(name)),
                "Preempt-=" + name);
        }
}

void normal_changed(const LintInput& input, Findings& findings) {
    const QosRecord* normal = find_qos(input, first_qos);
    if (normal == nullptr) return;
    std::vector<std::string> fields;
    for (const model::QosField& field : model::qos_fields())
        if (field.kind != model::FieldKind::name && field.kind != model::FieldKind::text &&
            model::is_set(field, *normal))
            fields.emplace_back(field.name);
    if (fields.empty()) return;
    findings.advise(*normal,
                    text::format("every new cluster and every account that names no other QOS has it, so {} "
                                 "of it count for all of them",
                                 text::list_names(fields)),
                    "create a QOS for the jobs that are meant, give it to their accounts, and unset these "
                    "fields here");
}

void normal_missing(const LintInput& input, Findings& findings) {
    if (find_qos(input, first_qos) != nullptr) return;
    findings.add("QOS normal", "it does not exist, and slurmdbd gives it to each new cluster",
                 "qosgate qos create normal");
}

} // namespace qg::report::lint
