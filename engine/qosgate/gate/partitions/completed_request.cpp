// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partitions/completed_request.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/nodes/known_nodes.hpp"
#include "qosgate/gate/nodes/reservations.hpp"
#include "qosgate/gate/partitions/partition_list.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace qg::gate {
namespace {

using model::Cluster;
using model::JobRequest;

/// The partition of the one reservation that a job names; null if it names none, several, or one without a
/// partition.
const std::string* partition_of_reservation(const JobRequest& asked, const Cluster& cluster) {
    if (!asked.reservation || !cluster.names) return nullptr;
    const model::Reservation* const found = find_reservation(*cluster.names, *asked.reservation);
    return found == nullptr || found->partition.empty() ? nullptr : &found->partition;
}

/// The partition that takes the jobs of a closed one; empty if none does.
std::string_view find_alternate(const model::Partition& closed, const model::PartitionTable& partitions) {
    const model::Partition* next = &closed;
    for (std::size_t tried = 0; tried < partitions.all().size() && !next->alternate.empty(); ++tried) {
        next = partitions.find(next->alternate).get();
        if (next == nullptr || next == &closed) return {};
        if (next->takes_jobs) return next->name;
    }
    return {};
}

/// The partitions with alternates in the places of closed ones; empty if none is replaced, or if the list is
/// refused.
std::optional<std::string> replace_closed(const JobRequest& asked, const Cluster& cluster) {
    const PartitionList asked_for = find_partitions(asked, cluster, /*is_new=*/false);
    if (!asked_for.unknown.empty() || asked_for.is_cut) return std::nullopt;
    std::string names;
    bool is_replaced = false;
    for (const auto& partition : asked_for.found) {
        const std::string_view alternate =
            partition->takes_jobs ? std::string_view() : find_alternate(*partition, cluster.partitions);
        is_replaced = is_replaced || !alternate.empty();
        if (!names.empty()) names += ',';
        names += alternate.empty() ? std::string_view(partition->name) : alternate;
    }
    return is_replaced ? std::optional(std::move(names)) : std::nullopt;
}

/// The partition in which a job that names none is judged; empty if it is none of a reservation.
std::string_view judged_partition(const JobRequest& asked, const Cluster& cluster) {
    if (asked.partition) return *asked.partition;
    const auto& default_partition = cluster.partitions.default_partition();
    return default_partition && default_partition->takes_jobs ? std::string_view(default_partition->name)
                                                              : std::string_view();
}

bool is_contiguous(const JobRequest& asked) {
    const model::DetailValue value = asked.details.get(model::JobDetail::contiguous);
    return value.kind == model::DetailValue::Kind::number && value.number != 0;
}

} // namespace

[[gnu::cold]] std::shared_ptr<const JobRequest> look_what_is_missing(const JobRequest& asked,
                                                                     const Cluster& cluster) {
    std::shared_ptr<JobRequest> completed;
    const auto change = [&]() -> JobRequest& {
        if (!completed) completed = std::make_shared<JobRequest>(asked);
        return *completed;
    };
    if (!asked.partition && !asked.has_default_partition)
        if (const std::string* const partition = partition_of_reservation(asked, cluster))
            change().partition = *partition;
    if (cluster.partitions.has_alternates()) [[unlikely]]
        if (auto partitions = replace_closed(completed ? *completed : asked, cluster))
            change().partition = *std::move(partitions);
    const bool may_have_gaps = asked.required_nodes && !asked.has_counted_cpus && !asked.listed_nodes;
    if (may_have_gaps && is_contiguous(asked))
        if (const auto nodes = count_with_gaps(*asked.required_nodes, cluster))
            change().listed_nodes = *nodes;
    return completed;
}

bool may_get_partition_of_reservation(const JobRequest& asked) {
    return asked.reservation && (!asked.partition || asked.has_default_partition);
}

bool names_reservations_only(const JobRequest& asked) {
    return may_get_partition_of_reservation(asked) && asked.reservation->find(',') != std::string::npos;
}

bool gets_partition_at_start(const JobRequest& asked, const Cluster& cluster) {
    if (!names_reservations_only(asked) || !cluster.names) return false;
    const std::string_view judged = judged_partition(asked, cluster);
    bool may_have_one = false;
    text::for_each_part(*asked.reservation, ',', [&](std::string_view name) {
        const model::Reservation* const found = find_reservation(*cluster.names, name);
        const bool has_other = found == nullptr || (!found->partition.empty() && found->partition != judged);
        may_have_one = may_have_one || (!name.empty() && has_other);
    });
    return may_have_one;
}

} // namespace qg::gate
