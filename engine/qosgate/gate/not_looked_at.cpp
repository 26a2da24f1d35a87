// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/not_looked_at.hpp"

#include <array>
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

/// Whether the request gives a count.
template <auto field>
bool gives(const ResolvedRequest& asked) {
    return (asked.request.*field).has_value();
}

constexpr std::array rows{
    NotLookedAt{"when the reservation is active, and what is free in it",
                gives<&model::JobRequest::reservation>},
    NotLookedAt{"the jobs of --dependency",
                [](const ResolvedRequest& asked) { return asked.request.has_dependency; }},
    NotLookedAt{
        "the UsageThreshold of the QOS",
        [](const ResolvedRequest& asked) { return job_qos_flags(asked.view()).enforce_usage_threshold; }},
    NotLookedAt{"--bb", sets<JobDetail::burst_buffer>},
    NotLookedAt{"--container", sets<JobDetail::container>},
    NotLookedAt{"--contiguous", sets<JobDetail::contiguous>},
    NotLookedAt{"--core-spec", sets<JobDetail::core_spec>},
    NotLookedAt{"--gres-flags", sets<JobDetail::enforce_binding>},
    NotLookedAt{"--network", sets<JobDetail::network>},
    NotLookedAt{"--ntasks-per-socket", gives<&model::JobRequest::tasks_per_socket>},
    NotLookedAt{"--reboot", sets<JobDetail::reboot>},
    NotLookedAt{"--sockets-per-node", gives<&model::JobRequest::sockets_per_node>},
    NotLookedAt{"--switches", sets<JobDetail::switches>},
    NotLookedAt{"--thread-spec", sets<JobDetail::thread_spec>},
    NotLookedAt{"--wckey", sets<JobDetail::wckey>},
};

} // namespace

std::vector<std::string> list_not_looked_at(const ResolvedRequest& asked) {
    std::vector<std::string> found;
    for (const auto& [what, is_asked] : rows)
        if (is_asked(asked)) found.emplace_back(what);
    return found;
}

} // namespace qg::gate
