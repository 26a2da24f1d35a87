// SPDX-License-Identifier: GPL-2.0-or-later
//
// The checks of lint that look at partitions and associations.
#include "report/lint_checks.hpp"

#include "holders.hpp"
#include "qos_arguments.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace qg::cli {

std::string update_qos(const std::string& qos, const std::string& assignment) {
    return text::format("qosgate qos update {} {}", quoted(qos), assignment);
}

std::string name_of(const LintAssociation& association) {
    std::string name = text::format("account {}", text::printable(association.account));
    if (!association.user.empty())
        name = text::format("user {} in {}", text::printable(association.user), name);
    if (!association.partition.empty())
        name += text::format(", partition {}", text::printable(association.partition));
    return name;
}

std::string modify_association(const LintInput& input, const LintAssociation& association,
                               const std::string& assignment) {
    // slurmdbd may have the accounts of several clusters.
    const std::string cluster = input.cluster.empty() ? "" : " cluster=" + quoted(input.cluster);
    if (association.user.empty())
        return text::format("sacctmgr -i modify account where name={}{} set {}", quoted(association.account),
                            cluster, assignment);
    return text::format("sacctmgr -i modify user where name={} account={}{}{} set {}",
                        quoted(association.user), quoted(association.account),
                        association.partition.empty() ? "" : " partition=" + quoted(association.partition),
                        cluster, assignment);
}

namespace lint {
namespace {

using model::AssociationLevel;
using model::Partition;
using model::QosRecord;

std::string owner(const QosRecord& qos) {
    return "QOS " + text::printable(qos.name);
}

bool has_name(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::any_of(names, [&](const std::string& other) { return text::iequals(other, name); });
}

/// Whether a user may use it.
bool may_be_used(const LintInput& input, const std::string& qos) {
    return !input.settings.enforce.qos ||
           std::ranges::any_of(input.associations, [&](const LintAssociation& each) {
               return each.level == AssociationLevel::user && (!each.qos || has_name(*each.qos, qos));
           });
}

/// The partitions where its limits count: those that have it, and those that its jobs may use.
std::vector<const Partition*> partitions_of(const LintInput& input, const std::string& qos) {
    std::vector<const Partition*> all;
    const bool is_used = may_be_used(input, qos);
    for (const Partition& partition : input.partitions)
        if (is_qos_of(partition, qos) || (is_used && admits(partition, qos))) all.push_back(&partition);
    return all;
}

const QosRecord* find_qos(const LintInput& input, const std::string& name) {
    const auto found =
        std::ranges::find_if(input.qos, [&](const QosRecord& qos) { return text::iequals(qos.name, name); });
    return found == input.qos.end() ? nullptr : &*found;
}

/// The QOS of a job without --qos; empty: none.
std::string default_of(const LintInput& input, const LintAssociation& association) {
    if (association.default_qos) return *association.default_qos;
    if (association.qos->size() == 1) return association.qos->front();
    for (const LintAssociation& each : input.associations)
        if (each.level == AssociationLevel::root && each.default_qos) return *each.default_qos;
    return "normal";
}

} // namespace

void wall_above_partitions(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        if (!qos.max_wall_minutes || qos.flags.contains("PartitionTimeLimit")) continue;
        const auto partitions = partitions_of(input, qos.name);
        std::uint64_t largest = 0;
        for (const Partition* each : partitions)
            largest = std::max<std::uint64_t>(
                largest, each->max_time.is_unlimited() ? UINT64_MAX : each->max_time.minutes);
        if (partitions.empty() || *qos.max_wall_minutes <= largest) continue;
        const std::string time = limits::format_time(largest);
        findings.add(
            owner(qos),
            text::format("MaxWall={} never counts: no partition that it may use has a MaxTime above "
                         "{}. A job that gets MaxWall as its time limit never starts there; with the flag "
                         "PartitionTimeLimit they would",
                         limits::format_time(*qos.max_wall_minutes), time),
            update_qos(qos.name, "MaxWall=" + time));
    }
}

void minimum_above_partitions(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        const auto partitions = partitions_of(input, qos.name);
        if (partitions.empty()) continue;
        for (const SetLimit& limit : limits_of(qos)) {
            if (limit.facts->sense != model::LimitSense::minimum || qos.flags.contains("Relative")) continue;
            const auto is_too_small = [&](const Partition* each) {
                return !each->tres.empty() && amount_in(each->tres, limit.tres) < limit.value;
            };
            // Neither is counted among the TRES of nodes.
            const auto kind = model::kind_of(limit.tres);
            const bool is_of_nodes = kind == model::TresKind::cpu || kind == model::TresKind::mem ||
                                     kind == model::TresKind::node || kind == model::TresKind::gres;
            if (!is_of_nodes || !std::ranges::all_of(partitions, is_too_small)) continue;
            findings.add(
                owner(qos),
                text::format("no job can meet {}: no partition that it may use has so much", limit.text()),
                update_qos(qos.name, limit.unset_text()));
        }
    }
}

void hidden_by_partition(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        if (qos.flags.contains("OverPartQOS") || !may_be_used(input, qos.name)) continue;
        std::vector<std::string> hidden;
        for (const Partition& partition : input.partitions) {
            const QosRecord* other = partition.qos.empty() ? nullptr : find_qos(input, partition.qos);
            if (other == nullptr || other == &qos || !admits(partition, qos.name)) continue;
            const auto others = limits_of(*other);
            for (const SetLimit& own : limits_of(qos)) {
                const auto same = std::ranges::find_if(others, [&](const SetLimit& each) {
                    return each.facts == own.facts && each.tres == own.tres;
                });
                if (same == others.end()) continue;
                const bool is_minimum = own.facts->sense == model::LimitSense::minimum;
                if (is_minimum ? own.value <= same->value : own.value >= same->value) continue;
                hidden.push_back(text::format("{} by {} of QOS {} in partition {}", own.text(), same->text(),
                                              text::printable(other->name), text::printable(partition.name)));
            }
        }
        if (hidden.empty()) continue;
        findings.add(owner(qos), text::format("stricter limits are replaced: {}", text::list_names(hidden)),
                     update_qos(qos.name, "Flags+=OverPartQOS"));
    }
}

void contradicts_partition(const LintInput& input, Findings& findings) {
    // A minimum of one and a maximum of the other, which has none of the same kind that would replace it.
    const auto compare = [&](const QosRecord& of_minimum, const QosRecord& of_maximum, const Partition& where,
                             const QosRecord& of_job) {
        for (const SetLimit& minimum : limits_of(of_minimum)) {
            if (minimum.facts->sense != model::LimitSense::minimum) continue;
            const auto others = limits_of(of_maximum);
            const auto own = limits_of(of_minimum);
            for (const SetLimit& maximum : others) {
                const auto is_same_limit = [&](const SetLimit& each) {
                    return each.facts == maximum.facts && each.tres == maximum.tres;
                };
                const bool counts = maximum.facts->sense == model::LimitSense::maximum &&
                                    maximum.facts->measure == model::LimitMeasure::tres &&
                                    maximum.facts->scope != model::LimitScope::node &&
                                    maximum.tres == minimum.tres && std::ranges::none_of(own, is_same_limit);
                if (!counts || minimum.value <= maximum.value) continue;
                findings.add(owner(of_job),
                             text::format("no job can meet {} of QOS {} and {} of QOS {}, and both count in "
                                          "partition {}",
                                          minimum.text(), text::printable(of_minimum.name), maximum.text(),
                                          text::printable(of_maximum.name), text::printable(where.name)),
                             update_qos(of_minimum.name, minimum.unset_text()));
            }
        }
    };
    for (const QosRecord& qos : input.qos) {
        if (!may_be_used(input, qos.name)) continue;
        for (const Partition& partition : input.partitions) {
            const QosRecord* other = partition.qos.empty() ? nullptr : find_qos(input, partition.qos);
            if (other == nullptr || other == &qos || !admits(partition, qos.name)) continue;
            compare(*other, qos, partition, qos);
            compare(qos, *other, partition, qos);
        }
    }
}

void partition_names_unknown_qos(const LintInput& input, Findings& findings) {
    for (const Partition& partition : input.partitions) {
        const std::pair<std::string_view, const std::vector<std::string>*> lists[] = {
            {"AllowQos", &partition.allow_qos}, {"DenyQos", &partition.deny_qos}};
        for (const auto& [key, names] : lists)
            for (const std::string& name : *names)
                if (find_qos(input, name) == nullptr)
                    findings.add(
                        "partition " + text::printable(partition.name),
                        text::format("{} names QOS {}, which does not exist", key, text::quoted(name)),
                        text::format("qosgate qos create {}", quoted(name)));
    }
}

void deny_list_ignored(const LintInput& input, Findings& findings) {
    for (const Partition& partition : input.partitions)
        if (!partition.allow_qos.empty() && !partition.deny_qos.empty())
            findings.add("partition " + text::printable(partition.name),
                         "slurmctld ignores DenyQos where AllowQos is set",
                         text::format("scontrol update PartitionName={} DenyQos=", quoted(partition.name)));
}

void qos_unused(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        const bool is_of_partition = std::ranges::any_of(
            input.partitions, [&](const Partition& each) { return is_qos_of(each, qos.name); });
        if (is_of_partition || may_be_used(input, qos.name)) continue;
        findings.add(owner(qos),
                     "nobody may use it: it is in no user's list, and it is not the QOS of a partition",
                     text::format("qosgate qos delete {}", quoted(qos.name)));
    }
}

void no_default_qos(const LintInput& input, Findings& findings) {
    if (!input.settings.enforce.qos) return;
    // Users of one account for whom the same command helps.
    std::map<std::tuple<std::string, std::string, std::string, std::string>, std::vector<std::string>> users;
    for (const LintAssociation& each : input.associations) {
        if (each.level != AssociationLevel::user || !each.qos || each.qos->empty()) continue;
        const std::string qos = default_of(input, each);
        if (!has_name(*each.qos, qos))
            users[{each.account, each.partition, qos, each.qos->front()}].push_back(each.user);
    }
    for (const auto& [key, names] : users) {
        const auto& [account, partition, qos, first] = key;
        LintAssociation all{.account = account, .user = text::join(names, ","), .partition = partition};
        findings.add(
            name_of({.level = AssociationLevel::account, .account = account, .partition = partition}),
            text::format("jobs of {} without --qos are refused: they get QOS {}, which their lists do "
                         "not have",
                         text::list_names(names), text::printable(qos)),
            modify_association(input, all, "defaultqos=" + quoted(first)));
    }
}

void group_above_parent(const LintInput& input, Findings& findings) {
    constexpr std::size_t max_depth = 64;
    for (const LintAssociation& association : input.associations) {
        for (const SetLimit& limit : limits_of(association, *input.tres)) {
            const LintAssociation* at = &association;
            for (std::size_t i = 0; i < max_depth && at->parent; ++i) {
                at = &input.associations.at(*at->parent);
                const auto above = limits_of(*at, *input.tres);
                const auto lower = std::ranges::find_if(above, [&](const SetLimit& each) {
                    return each.facts == limit.facts && each.tres == limit.tres && each.value < limit.value;
                });
                if (lower == above.end()) continue;
                findings.add(name_of(association),
                             text::format("{} never counts: {} of {} is lower", limit.text(), lower->text(),
                                          name_of(*at)),
                             modify_association(input, association, limit.unset_text()));
                break;
            }
        }
    }
}

} // namespace lint
} // namespace qg::cli
