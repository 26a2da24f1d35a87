// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/report/reason_details.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/nodes/known_nodes.hpp"
#include "qosgate/gate/nodes/node_features.hpp"

#include <algorithm>

namespace qg::report {
namespace {

using model::QueuedJob;
using model::ReservedTime;
using model::StoppedNode;

constexpr std::size_t max_shown = 10;
constexpr std::string_view maintenance = "Reserved for maintenance";

bool is_about_nodes(std::string_view reason) {
    return reason == "UnavailableNodes" || reason.starts_with("Nodes required for job are DOWN");
}

bool is_about_reservations(std::string_view reason) {
    return reason == "ReqNodeNotAvail" || reason == maintenance || reason == "May be reserved for other job";
}

std::string time_span_text(const ReservedTime& reservation) {
    return text::format("reservation {}: from {} to {}, nodes {}", text::printable(reservation.name),
                        text::local_time(reservation.start), text::local_time(reservation.end),
                        reservation.nodes.empty() ? "none" : text::printable(reservation.nodes, 200));
}

/// "afterok:12_*(unfulfilled)" is 12.
std::vector<std::string> dependencies_of(std::string_view words, std::span<const QueuedJob> queue) {
    std::vector<std::string> lines;
    const auto add = [&](std::string_view part) {
        if (lines.size() == max_shown || part.empty()) return;
        const std::string_view plain = part.substr(0, part.find('('));
        const std::size_t colon = plain.find(':');
        if (colon == plain.npos) {
            if (plain == "singleton")
                lines.emplace_back("singleton: no other job of this user with this name may run");
            return;
        }
        std::string_view name = plain.substr(colon + 1);
        if (name.ends_with("_*")) name.remove_suffix(2);
        name = name.substr(0, name.find('+')); // "after:12+5": minutes
        const auto job =
            std::ranges::find_if(queue, [&](const QueuedJob& each) { return is_meant(each, name); });
        lines.push_back(
            text::format("{} job {}: {}", text::printable(plain.substr(0, colon)), text::printable(name),
                         job == queue.end() ? "not in the queue, as far as you may see" : job->state_name));
    };
    text::for_each_part(words, ',', [&](std::string_view all) { text::for_each_part(all, '?', add); });
    return lines;
}

/// The nodes that a job may get, as far as they are known.
class UsableNodes {
  public:
    UsableNodes(const QueuedJob& job, const model::Cluster& cluster)
        : request_(job.request), cluster_(cluster),
          excluded_(gate::look_up_named_nodes(job.request, cluster.names).excluded.indices) {
        text::for_each_part(job.partition, ',', [&](std::string_view name) {
            partitions_.push_back(cluster.partitions.find(name).get());
        });
        is_known_ = !partitions_.empty() && std::ranges::all_of(partitions_, [](const auto* partition) {
            return partition != nullptr && !partition->nodes.empty();
        });
    }

    [[nodiscard]] bool has(std::uint32_t node) const {
        const model::NodeKind* kind = cluster_.nodes.find(node);
        const auto& features = request_.features;
        const bool lacks_features = features && kind != nullptr &&
                                    gate::kind_of_constraint(*features) == gate::ConstraintKind::by_node &&
                                    !gate::has_features(*kind, *features);
        return !lacks_features && !std::ranges::binary_search(excluded_, node) && is_in_partitions(node);
    }
    /// Whether it has some of these; true if they are not known.
    [[nodiscard]] bool has_any(std::span<const model::NodeRange> ranges) const {
        const auto has_some = [this](const model::NodeRange& range) {
            for (std::uint32_t node = range.first; node <= range.last; ++node)
                if (has(node)) return true;
            return false;
        };
        return ranges.empty() || std::ranges::any_of(ranges, has_some);
    }

  private:
    [[nodiscard]] bool is_in_partitions(std::uint32_t node) const {
        return !is_known_ || std::ranges::any_of(partitions_, [node](const model::Partition* partition) {
            return partition->has_node(node);
        });
    }

    const model::JobRequest& request_;
    const model::Cluster& cluster_;
    std::vector<std::uint32_t> excluded_;
    std::vector<const model::Partition*> partitions_;
    bool is_known_ = false; ///< which nodes the partitions have
};

std::vector<std::string> reservations_of(const QueuedJob& job, const model::Obstacles& obstacles,
                                         const UsableNodes& usable, bool is_maintenance, std::time_t now) {
    std::vector<std::string> lines;
    const bool has_end = job.time_limit && !job.time_limit->is_unlimited();
    for (const ReservedTime& each : obstacles.reservations) {
        const bool is_in_its_way = each.name != job.reservation && each.end > now &&
                                   (each.is_maintenance || !is_maintenance) &&
                                   (!has_end || each.start < now + std::time_t{job.time_limit->minutes} * 60);
        if (is_in_its_way && lines.size() < max_shown && usable.has_any(each.ranges))
            lines.push_back(time_span_text(each));
    }
    return lines;
}

/// The nodes that squeue names; if it names none, those of the job's partitions, or that it asked for.
std::vector<std::string> nodes_of(const QueuedJob& job, const model::Obstacles& obstacles,
                                  const UsableNodes& usable) {
    std::vector<std::string> lines;
    for (const StoppedNode& node : obstacles.nodes) {
        const bool is_meant = job.unavailable_nodes.empty()
                                  ? std::ranges::any_of(text::split(job.partition, ','),
                                                        [&](std::string_view name) {
                                                            const auto of = text::split(node.partitions, ',');
                                                            return std::ranges::find(of, name) != of.end();
                                                        })
                                  : job.unavailable_nodes.contains(node.name);
        if (!is_meant || (job.unavailable_nodes.empty() && node.index && !usable.has(*node.index))) continue;
        if (lines.size() == max_shown) {
            lines.emplace_back("and more: 'sinfo -R' shows all");
            break;
        }
        lines.push_back(text::format("node {}: {}{}", node.name, node.state,
                                     node.reason.empty() ? "" : ", " + text::printable(node.reason, 200)));
    }
    return lines;
}

std::vector<std::string> planned(const QueuedJob& job, std::time_t now) {
    if (job.planned_start <= now) return {};
    return {text::format("planned at {}{}; this changes as jobs end and come",
                         text::local_time(job.planned_start),
                         job.planned_nodes.empty() ? "" : " on " + text::printable(job.planned_nodes, 200))};
}

/// Whether a task is in "5", "6-9", "0-8:2" or a list of these.
bool is_listed(std::uint32_t task, std::string_view list) {
    bool found = false;
    text::for_each_part(list, ',', [&](std::string_view part) {
        const std::size_t colon = part.find(':');
        const auto step = colon == part.npos ? 1 : text::parse_unsigned(part.substr(colon + 1));
        part = part.substr(0, colon);
        const std::size_t dash = part.find('-');
        const auto first = text::parse_unsigned(part.substr(0, dash));
        const auto last = dash == part.npos ? first : text::parse_unsigned(part.substr(dash + 1));
        if (!first || !last || !step || *step == 0) return;
        found = found || (task >= *first && task <= *last && (task - *first) % *step == 0);
    });
    return found;
}

} // namespace

bool is_meant(const model::QueuedJob& job, std::string_view name) {
    if (job.name == name) return true;
    const std::size_t end = name.find_first_not_of("0123456789");
    const auto number = text::parse_unsigned(name.substr(0, end));
    if (!number || *number == 0) return false;
    if (end == name.npos) return job.id == *number || job.array_id == *number || job.het_id == *number;
    if (name[end] != '_' || job.array_id != *number) return false;
    std::string_view tasks = name.substr(end + 1);
    if (tasks.starts_with('[')) {
        if (!tasks.ends_with(']')) return false;
        tasks = tasks.substr(1, tasks.size() - 2);
        tasks = tasks.substr(0, tasks.find('%'));
    }
    return std::ranges::any_of(job.tasks, [&](std::uint32_t task) { return is_listed(task, tasks); });
}

bool waits_for_unavailable_nodes(const QueuedJob& job) {
    return job.reason == "ReqNodeNotAvail" || job.reason_text.find("ReqNodeNotAvail") != std::string::npos ||
           job.reason_text.find("Nodes required for job are DOWN") != std::string::npos;
}

bool needs_obstacles(const QueuedJob& job) {
    return waits_for_unavailable_nodes(job) || job.reason == "Reservation" || !job.reservation.empty();
}

std::vector<std::string> details_of(std::string_view reason, const QueuedJob& job,
                                    std::span<const QueuedJob> queue, const model::Obstacles& obstacles,
                                    const model::Cluster& cluster, std::time_t now) {
    if (reason == "Dependency" || reason == "DependencyNeverSatisfied")
        return dependencies_of(job.dependency, queue);
    if (reason == "BeginTime" && job.begin > now)
        return {text::format("it may start from {}", text::local_time(job.begin))};
    if (reason == "Reservation") {
        std::vector<std::string> lines;
        for (const ReservedTime& each : obstacles.reservations)
            if (each.name == job.reservation) lines.push_back(time_span_text(each));
        return lines;
    }
    // Which one it is, the last of these Reasons tells best.
    const bool is_maintenance = job.reason_text.find(maintenance) != std::string::npos;
    if (is_about_reservations(reason))
        return reason == "ReqNodeNotAvail" && (is_maintenance || !job.unavailable_nodes.empty())
                   ? std::vector<std::string>()
                   : reservations_of(job, obstacles, UsableNodes(job, cluster), is_maintenance, now);
    if (is_about_nodes(reason)) return nodes_of(job, obstacles, UsableNodes(job, cluster));
    if (reason == "Resources" || reason == "Priority") return planned(job, now);
    return {};
}

} // namespace qg::report
