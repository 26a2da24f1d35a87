// SPDX-License-Identifier: GPL-2.0-or-later
//
// The checks of lint that compare limits with what the cluster has, and times with DefaultTime.
#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/model/qos_flag_name.hpp"
#include "qosgate/report/holders.hpp"
#include "qosgate/report/lint_checks.hpp"

#include <algorithm>
#include <optional>

namespace qg::report::lint {
namespace {

using model::LimitMeasure;
using model::LimitScope;
using model::LimitSense;
using model::NodeKind;
using model::Partition;
using model::QosRecord;
using model::TresKind;

/// How much of a TRES such a node has; empty: not known, or no amount of a node.
std::optional<std::uint64_t> amount_on_node(const NodeKind& node, const std::string& tres) {
    const auto known = [](std::uint64_t amount) {
        return amount == 0 ? std::nullopt : std::optional(amount);
    };
    switch (model::kind_of(tres)) {
    case TresKind::cpu: return known(node.cpus);
    case TresKind::mem: return known(node.memory_mib);
    case TresKind::node: return 1;
    case TresKind::gres: break;
    case TresKind::energy:
    case TresKind::billing:
    case TresKind::bb:
    case TresKind::license:
    case TresKind::other: return std::nullopt;
    }
    const std::string_view name = std::string_view(tres).substr(tres.find('/') + 1);
    const std::string_view model = name.find(':') == name.npos ? "" : name.substr(name.find(':') + 1);
    std::uint64_t total = 0;
    for (const model::NodeGres& gres : node.gres) {
        if (gres.name != name.substr(0, name.find(':'))) continue;
        if (!model.empty() && gres.model.empty()) return std::nullopt; // it may be this model
        if (model.empty() || gres.model == model) total += gres.count;
    }
    return total;
}

/// What can be had of a TRES, and where.
struct Bound {
    std::uint64_t most = 0;
    std::string_view words; ///< before the amount: "the cluster has"
};

/// Of one node.
std::optional<Bound> bound_of_nodes(const std::vector<const Partition*>& partitions,
                                    const std::string& tres) {
    Bound bound{.words = "no node that its jobs may use has more than"};
    for (const Partition* partition : partitions) {
        if (partition->node_kinds.empty()) return std::nullopt;
        for (const NodeKind& kind : partition->node_kinds) {
            const auto amount = amount_on_node(kind, tres);
            if (!amount) return std::nullopt;
            bound.most = std::max(bound.most, *amount);
        }
    }
    return bound;
}

/// Of one job: it is in one partition.
std::optional<Bound> bound_of_partitions(const std::vector<const Partition*>& partitions,
                                         const std::string& tres) {
    Bound bound{.words = "no partition that its jobs may use has more than"};
    for (const Partition* partition : partitions) {
        if (partition->tres.empty()) return std::nullopt;
        bound.most = std::max(bound.most, amounts_in(partition->tres, tres).most);
    }
    return bound;
}

std::optional<Bound> bound_of_cluster(const model::NodeTable& nodes, const std::string& tres) {
    if (nodes.kind_of.empty()) return std::nullopt;
    Bound bound{.words = "the cluster, unless jobs share CPUs (OverSubscribe), has"};
    for (const std::uint16_t index : nodes.kind_of) {
        const auto amount = amount_on_node(nodes.kinds.at(index), tres);
        if (!amount) return std::nullopt;
        bound.most += *amount;
    }
    return bound;
}

/// What jobs that a limit counts can have at most; empty: not known, or no limit of that kind.
std::optional<Bound> bound_of(const LintInput& input, const std::vector<const Partition*>& partitions,
                              const SetLimit& limit) {
    if (limit.facts->measure != LimitMeasure::tres || limit.facts->sense != LimitSense::maximum ||
        partitions.empty() || !amount_on_node(NodeKind{.count = 1, .cpus = 1, .memory_mib = 1}, limit.tres))
        return std::nullopt;
    switch (limit.facts->scope) {
    case LimitScope::node: return bound_of_nodes(partitions, limit.tres);
    case LimitScope::job: return bound_of_partitions(partitions, limit.tres);
    case LimitScope::user:
    case LimitScope::account:
    case LimitScope::group: break;
    }
    return bound_of_cluster(input.nodes, limit.tres);
}

/// Whether a limit of the partition's QOS counts for jobs of `qos` there, instead of this one.
bool is_replaced(const LintInput& input, const Partition& partition, const QosRecord& qos,
                 const SetLimit& limit) {
    if (is_qos_of(partition, qos.name) || model::has_flag(qos, "OverPartQOS")) return false;
    const QosRecord* other = find_qos(input, partition.qos);
    return other != nullptr && find_limit(limits_of(*other), limit) != nullptr;
}

/// The wall limit of each job; null: none.
const SetLimit* find_wall(const std::vector<SetLimit>& limits) {
    const auto found = std::ranges::find_if(limits, [](const SetLimit& each) {
        return each.facts->limit == model::LimitId(model::CountLimit::max_wall);
    });
    return found == limits.end() ? nullptr : &*found;
}

std::string_view fate_of(const QosRecord& qos) {
    return model::has_flag(qos, "DenyOnLimit") ? "all are refused" : "all wait for ever";
}

/// What a job without --mem gets at least, in MiB, and why; empty: not known.
struct DefaultMemory {
    std::uint64_t mib = 0;
    std::string_view why;
};
std::optional<DefaultMemory> default_memory_in(const LintInput& input, const Partition& partition) {
    const auto& memory = partition.default_memory ? partition.default_memory : input.default_memory;
    if (memory && memory->mib > 0)
        return DefaultMemory{memory->mib, memory->per_cpu ? "by DefMemPerCPU" : "by DefMemPerNode"};
    if (partition.min_node_memory_mib == 0) return std::nullopt;
    return DefaultMemory{partition.min_node_memory_mib, "all of a node's, because there is no DefMemPerCPU"};
}

} // namespace

void limit_above_cluster(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        if (model::has_flag(qos, "Relative")) continue;
        const auto partitions = partitions_of(input, qos.name);
        for (const SetLimit& limit : limits_of(qos)) {
            if (!is_tracked(input, limit.tres)) continue; // slurmctld counts none of it
            const auto bound = bound_of(input, partitions, limit);
            if (!bound || limit.value <= bound->most) continue;
            const SetLimit all{.facts = limit.facts, .tres = limit.tres, .value = bound->most};
            findings.advise(
                qos,
                text::format("{} never counts: {} {}", limit.text(), bound->words,
                             limits::format_limit_value(limit.facts->limit, limit.tres, bound->most)),
                text::format("lower it to {} or less, or unset it", all.text()), limit.unset_text());
        }
    }
}

void default_time_above_wall(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        const auto limits = limits_of(qos);
        const SetLimit* const max_wall = find_wall(limits);
        if (max_wall == nullptr) continue;
        for (const Partition* partition : partitions_of(input, qos.name)) {
            if (!partition->default_time || is_replaced(input, *partition, qos, *max_wall)) continue;
            const bool is_above = partition->default_time->is_unlimited() ||
                                  partition->default_time->minutes > *qos.max_wall_minutes;
            if (!is_above) continue;
            const std::string wall = limits::format_time(*qos.max_wall_minutes);
            findings.advise(
                qos,
                text::format(
                    "jobs without --time in partition {} get its DefaultTime, which is above MaxWall={}: {}",
                    text::printable(partition->name), wall, fate_of(qos)),
                text::format(
                    "slurm.conf: in the line of PartitionName={}, write DefaultTime={} or less; then: "
                    "scontrol reconfigure; or raise MaxWall",
                    text::printable(partition->name), wall));
        }
    }
}

void default_memory_above_limit(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        if (model::has_flag(qos, "Relative")) continue;
        for (const SetLimit& limit : limits_of(qos)) {
            const bool is_meant = limit.facts->measure == LimitMeasure::tres && limit.value > 0 &&
                                  limit.facts->sense == LimitSense::maximum &&
                                  model::kind_of(limit.tres) == TresKind::mem;
            if (!is_meant) continue;
            for (const Partition* partition : partitions_of(input, qos.name)) {
                const auto memory = default_memory_in(input, *partition);
                if (!memory || memory->mib <= limit.value || is_replaced(input, *partition, qos, limit))
                    continue;
                findings.advise(
                    qos,
                    text::format("jobs without --mem in partition {} get {} ({}), which is above {}: {}",
                                 text::printable(partition->name),
                                 limits::format_limit_value(limit.facts->limit, limit.tres, memory->mib),
                                 memory->why, limit.text(), fate_of(qos)),
                    text::format(
                        "slurm.conf: in the line of PartitionName={}, write a DefMemPerCPU with which jobs "
                        "meet it; then: scontrol reconfigure; or raise the limit, whose plain numbers are "
                        "MiB",
                        text::printable(partition->name)));
            }
        }
    }
}

} // namespace qg::report::lint
