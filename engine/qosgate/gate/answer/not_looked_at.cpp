// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/answer/not_looked_at.hpp"

#include "qosgate/gate/nodes/node_features.hpp"
#include "qosgate/gate/partitions/completed_request.hpp"
#include "qosgate/model/job_field.hpp"
#include "qosgate/model/tres_request.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace qg::gate {
namespace {

using model::JobDetail;

struct NotLookedAt {
    std::string_view what;
    bool (*is_asked)(const ResolvedRequest& asked);
};

/// Whether the request sets a detail, and not to 0.
template <JobDetail detail>
bool sets(const ResolvedRequest& asked) {
    const model::DetailValue value = asked.request.details.get(detail);
    return value.kind != model::DetailValue::Kind::unset &&
           (value.kind != model::DetailValue::Kind::number || value.number != 0);
}

/// The option of a detail.
template <JobDetail detail>
constexpr NotLookedAt option{model::find_field_of(detail)->option.text, sets<detail>};

/// Whether the request gives a count.
template <auto field>
bool gives(const ResolvedRequest& asked) {
    return (asked.request.*field).has_value();
}

/// Whether each node, or each task, is to have GPUs of several types.
bool mixes_gpu_types(const ResolvedRequest& asked) {
    for (const auto& text : {&asked.request.tres_per_node, &asked.request.tres_per_task}) {
        std::size_t types = 0;
        model::for_each_gres_item(*text, [&](const model::TresItem& item) {
            if (item.name == "gpu" && !item.kind.empty()) ++types;
        });
        if (types > 1) return true;
    }
    return false;
}

template <ConstraintKind kind>
bool has_constraint(const ResolvedRequest& asked) {
    const auto& features = asked.request.features;
    return features && kind_of_constraint(*features) == kind;
}

/// Whether the job asks for features, and those of the nodes of one of its partitions are not known.
bool asks_for_unknown_features(const ResolvedRequest& asked) {
    const auto is_unknown = [](const model::PartitionChoice& choice) {
        return choice.is_hidden || choice.partition->featured_kinds.empty();
    };
    return asked.request.features && std::ranges::any_of(asked.view().partitions, is_unknown);
}

bool names_license_server(const ResolvedRequest& asked) {
    const auto& licenses = asked.request.licenses;
    return licenses && licenses->find('@') != std::string::npos;
}

constexpr std::array rows{
    NotLookedAt{"when the reservation is active, and what is free in it",
                gives<&model::JobRequest::reservation>},
    NotLookedAt{"the partition of the reservation in which it starts",
                [](const ResolvedRequest& asked) {
                    return gets_partition_at_start(asked.request, asked.context.cluster);
                }},
    NotLookedAt{"the jobs of --dependency",
                [](const ResolvedRequest& asked) { return asked.request.has_dependency; }},
    NotLookedAt{
        "the UsageThreshold of the QOS",
        [](const ResolvedRequest& asked) { return job_qos_flags(asked.view()).enforce_usage_threshold; }},
    NotLookedAt{"whether a node has GPUs of all types", mixes_gpu_types},
    NotLookedAt{"whether a node has the CPUs of --cpus-per-gpu", gives<&model::JobRequest::cpus_per_tres>},
    NotLookedAt{"whether a node has the memory of --mem-per-gpu", gives<&model::JobRequest::memory_per_tres>},
    NotLookedAt{"which nodes have the features of --constraint", asks_for_unknown_features},
    NotLookedAt{"which nodes the counts in --constraint take", has_constraint<ConstraintKind::counts>},
    NotLookedAt{"--constraint, which is not read as slurmctld does", has_constraint<ConstraintKind::unread>},
    NotLookedAt{"servers in --licenses", names_license_server},
    option<JobDetail::burst_buffer>,
    option<JobDetail::container>,
    option<JobDetail::contiguous>,
    option<JobDetail::core_spec>,
    NotLookedAt{"--gres-flags", sets<JobDetail::enforce_binding>},
    option<JobDetail::network>,
    option<JobDetail::tasks_per_core>,
    NotLookedAt{"--ntasks-per-socket", gives<&model::JobRequest::tasks_per_socket>},
    option<JobDetail::reboot>,
    NotLookedAt{"which sockets of a node the job gets", gives<&model::JobRequest::sockets_per_node>},
    option<JobDetail::switches>,
    option<JobDetail::thread_spec>,
    NotLookedAt{"which threads of a core the job gets", sets<JobDetail::threads_per_core>},
    option<JobDetail::wckey>,
};

} // namespace

std::vector<std::string> list_not_looked_at(const ResolvedRequest& asked) {
    std::vector<std::string> found;
    for (const auto& [what, is_asked] : rows)
        if (is_asked(asked)) found.emplace_back(what);
    return found;
}

} // namespace qg::gate
