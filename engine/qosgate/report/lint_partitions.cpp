// SPDX-License-Identifier: GPL-2.0-or-later
//
// The checks of lint that look at partitions and their QOSs.
#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/model/qos_flag_name.hpp"
#include "qosgate/report/holders.hpp"
#include "qosgate/report/lint_checks.hpp"

#include <algorithm>
#include <array>

namespace qg::report {

std::vector<const model::Partition*> partitions_of(const LintInput& input, const std::string& qos) {
    std::vector<const model::Partition*> all;
    for (const model::Partition& partition : input.partitions)
        if (is_qos_of(partition, qos) || may_be_used_in(input, qos, partition)) all.push_back(&partition);
    return all;
}

namespace lint {
namespace {

using model::LimitMeasure;
using model::LimitScope;
using model::LimitSense;
using model::Partition;
using model::QosRecord;

/// A partition that its jobs may use, and the other QOS that this partition has.
struct Meeting {
    const Partition* partition = nullptr;
    const QosRecord* other = nullptr;
};

std::vector<Meeting> meetings_of(const LintInput& input, const QosRecord& qos) {
    std::vector<Meeting> all;
    for (const Partition& partition : input.partitions) {
        const QosRecord* other = partition.qos.empty() ? nullptr : find_qos(input, partition.qos);
        if (other != nullptr && other != &qos && may_be_used_in(input, qos.name, partition))
            all.push_back({&partition, other});
    }
    return all;
}

bool is_stricter(const SetLimit& limit, const SetLimit& other) {
    return limit.facts->sense == LimitSense::minimum ? limit.value > other.value : limit.value < other.value;
}

/// "MaxTRES=cpu=4 of QOS viz in partition viz"
std::string describe_limit(const SetLimit& limit, const Meeting& where) {
    return text::format("{} of {} in partition {}", limit.text(), owner(*where.other),
                        text::printable(where.partition->name));
}

/// Minimums of one that are above maximums of the other, which has none of the same kind that would replace
/// it.
std::vector<std::string> find_contradictions(const QosRecord& of_minimum, const QosRecord& of_maximum) {
    std::vector<std::string> found;
    const auto own = limits_of(of_minimum);
    const auto others = limits_of(of_maximum);
    for (const SetLimit& minimum : own) {
        if (minimum.facts->sense != LimitSense::minimum) continue;
        for (const SetLimit& maximum : others) {
            const bool counts = maximum.facts->sense == LimitSense::maximum &&
                                maximum.facts->measure == LimitMeasure::tres &&
                                maximum.facts->scope != LimitScope::node && maximum.tres == minimum.tres &&
                                find_limit(own, maximum) == nullptr;
            if (counts && minimum.value > maximum.value)
                found.push_back(text::format("{} of {} and {} of {}", minimum.text(), owner(of_minimum),
                                             maximum.text(), owner(of_maximum)));
        }
    }
    return found;
}

/// How a partition refuses the QOS: slurmctld ignores DenyQos beside AllowQos.
std::string how_to_refuse(const Partition& partition, const QosRecord& qos) {
    const std::string line = text::format("the line of PartitionName={}", text::printable(partition.name));
    if (!partition.allow_qos.empty())
        return text::format("in {}, take {} out of AllowQos", line, text::printable(qos.name));
    auto denied = partition.deny_qos;
    denied.push_back(qos.name);
    return text::format("in {}, write DenyQos={}", line, text::printable(text::join(denied, ",")));
}

/// Lists of a partition that name things of one kind.
struct NameLists {
    std::string_view kind;    ///< "QOS"
    std::string_view outcome; ///< what follows from a name that does not exist
    struct List {
        std::string_view key; ///< in slurm.conf
        std::vector<std::string> Partition::*names;
    };
    std::array<List, 2> lists;
};

constexpr NameLists qos_lists{"QOS",
                              ", and slurmctld 25.11 and later does not start with it",
                              {{{"AllowQos", &Partition::allow_qos}, {"DenyQos", &Partition::deny_qos}}}};
constexpr NameLists account_lists{
    "account",
    "",
    {{{"AllowAccounts", &Partition::allow_accounts}, {"DenyAccounts", &Partition::deny_accounts}}}};

/// Names in these lists that are not among the known ones.
void find_unknown(const LintInput& input, const std::vector<std::string>& known, const NameLists& lists,
                  Findings& findings) {
    std::vector<std::string> printable;
    for (const std::string& name : known)
        printable.push_back(text::printable(name));
    for (const Partition& partition : input.partitions)
        for (const NameLists::List& list : lists.lists)
            for (const std::string& name : partition.*list.names)
                if (!has_name(known, name))
                    findings.advise(
                        "partition " + text::printable(partition.name),
                        text::format("{} names {} {}, which does not exist{}{}", list.key, lists.kind,
                                     text::quoted(name), lists.outcome, text::did_you_mean(name, printable)),
                        text::format("slurm.conf: in the line of PartitionName={}, correct {} in "
                                     "{}; then: scontrol reconfigure",
                                     text::printable(partition.name), text::quoted(name), list.key));
}

} // namespace

void wall_above_partitions(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        if (!qos.max_wall_minutes || model::has_flag(qos, "PartitionTimeLimit")) continue;
        const auto partitions = partitions_of(input, qos.name);
        std::uint64_t largest = 0;
        for (const Partition* each : partitions)
            largest = std::max<std::uint64_t>(
                largest, each->max_time.is_unlimited() ? UINT64_MAX : each->max_time.minutes);
        if (partitions.empty() || *qos.max_wall_minutes <= largest) continue;
        const std::string time = limits::format_time(largest);
        findings.change(
            qos,
            text::format("MaxWall={} never counts: no partition that it may use has a MaxTime above "
                         "{}. A job that gets MaxWall as its time limit never starts there; with the flag "
                         "PartitionTimeLimit they would",
                         limits::format_time(*qos.max_wall_minutes), time),
            "MaxWall=" + time);
    }
}

void minimum_above_partitions(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        const auto partitions = partitions_of(input, qos.name);
        if (partitions.empty()) continue;
        for (const SetLimit& limit : limits_of(qos)) {
            if (limit.facts->sense != LimitSense::minimum || model::has_flag(qos, "Relative")) continue;
            const auto is_too_small = [&](const Partition* each) {
                return !each->tres.empty() && amounts_in(each->tres, limit.tres).most < limit.value;
            };
            // Neither is counted among the TRES of nodes.
            const auto kind = model::kind_of(limit.tres);
            const bool is_of_nodes = kind == model::TresKind::cpu || kind == model::TresKind::mem ||
                                     kind == model::TresKind::node || kind == model::TresKind::gres;
            if (!is_of_nodes || !std::ranges::all_of(partitions, is_too_small)) continue;
            findings.advise(
                qos,
                text::format("no job can meet {}: no partition that it may use has so much", limit.text()),
                text::format("lower {}, or let its jobs use a larger partition: decide which is meant",
                             limit.text()));
        }
    }
}

void hidden_by_partition(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        if (model::has_flag(qos, "OverPartQOS")) continue;
        std::vector<std::string> hidden;
        std::vector<std::string> would_be_hidden; // with OverPartQOS
        const auto limits = limits_of(qos);
        for (const Meeting& where : meetings_of(input, qos)) {
            const auto others = limits_of(*where.other);
            for (const SetLimit& own : limits) {
                const SetLimit* same = find_limit(others, own);
                if (same == nullptr) continue;
                if (is_stricter(own, *same))
                    hidden.push_back(text::format("{} by {}", own.text(), describe_limit(*same, where)));
                if (is_stricter(*same, own)) would_be_hidden.push_back(describe_limit(*same, where));
            }
        }
        if (hidden.empty()) continue;
        const std::string text = text::format("stricter limits are replaced: {}", text::list_names(hidden));
        if (would_be_hidden.empty())
            findings.change(qos, text, "Flags+=OverPartQOS");
        else
            findings.advise(qos, text,
                            text::format("the flag OverPartQOS would end this, but its jobs would no longer "
                                         "have {}; lower the limits of the partitions' QOSs, or give these "
                                         "QOS {}'s limits",
                                         text::list_names(would_be_hidden), text::printable(qos.name)));
    }
}

void contradicts_partition(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        std::vector<std::string> contradictions;
        std::vector<std::string> cures;
        for (const Meeting& where : meetings_of(input, qos)) {
            auto found = find_contradictions(*where.other, qos);
            std::ranges::move(find_contradictions(qos, *where.other), std::back_inserter(found));
            for (const std::string& each : found)
                contradictions.push_back(
                    text::format("{} in partition {}", each, text::printable(where.partition->name)));
            if (!found.empty()) cures.push_back(how_to_refuse(*where.partition, qos));
        }
        if (contradictions.empty()) continue;
        findings.advise(qos, text::format("no job can meet both: {}", text::list_names(contradictions)),
                        "slurm.conf: " + text::join(cures, "; ") + "; then: scontrol reconfigure");
    }
}

void partition_names_unknown_qos(const LintInput& input, Findings& findings) {
    std::vector<std::string> known;
    for (const QosRecord& qos : input.qos)
        known.push_back(qos.name);
    find_unknown(input, known, qos_lists, findings);
}

void partition_names_unknown_account(const LintInput& input, Findings& findings) {
    std::vector<std::string> known;
    for (const LintAssociation& association : input.associations)
        if (association.level != model::AssociationLevel::user) known.push_back(association.account);
    find_unknown(input, known, account_lists, findings);
}

void deny_list_ignored(const LintInput& input, Findings& findings) {
    for (const Partition& partition : input.partitions)
        if (!partition.allow_qos.empty() && !partition.deny_qos.empty())
            findings.add("partition " + text::printable(partition.name),
                         "slurmctld ignores DenyQos where AllowQos is set",
                         text::format("scontrol update {} DenyQos=",
                                      text::shell_word("PartitionName=" + partition.name)));
}

} // namespace lint
} // namespace qg::report
