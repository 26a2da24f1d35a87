// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/decide/effort.hpp"

#include "qosgate/base/text.hpp"

namespace qg::gate {
namespace {

/// The maximum of ways (partition and QOS) to start a job.
constexpr std::size_t max_ways = 64;
static_assert(max_partitions <= max_ways);

std::size_t count_ways(const ResolvedRequest& resolved) {
    const model::AccountView& view = resolved.view();
    return view.partitions.size() * (1 + view.job_qos.alternatives.size());
}

} // namespace

std::optional<TooLarge> find_too_large(const ResolvedRequest& resolved) {
    const model::JobRequest& request = resolved.request;
    if (const auto& unread = request.unread)
        return TooLarge{
            text::format("its text of {} has more than {} {}", unread->field, unread->max, unread->unit),
            unread->options.empty() ? "" : text::format("shorten {}", unread->options),
            unread->slurmctld_refuses};
    if (resolved.partitions.is_cut)
        return TooLarge{text::format("it names more than {} partitions", max_partitions),
                        "shorten --partition"};
    const model::AccountView& view = resolved.view();
    const std::size_t ways = count_ways(resolved);
    if (ways > max_ways)
        return TooLarge{text::format("{} QOSs in {} partitions are more than {} ways to start the job",
                                     1 + view.job_qos.alternatives.size(), view.partitions.size(), max_ways),
                        "shorten --qos or --partition"};
    if (is_too_long_for(ways, request))
        return TooLarge{text::format("{} bytes of resources and licenses are too long to be counted for {} "
                                     "ways to start the job",
                                     bytes_of_resources(request), ways),
                        "shorten them, or --partition"};
    return std::nullopt;
}

bool is_short(const ResolvedRequest& resolved) {
    const model::JobRequest& request = resolved.request;
    constexpr std::size_t max_short_ways = 8;
    constexpr std::size_t max_bytes = 512;
    const std::size_t bytes = bytes_of_resources(request) + request.array.value_or("").size() +
                              request.required_nodes.value_or("").size() + request.nodes_to_exclude().size() +
                              request.features.value_or("").size();
    return bytes <= max_bytes && count_ways(resolved) <= max_short_ways;
}

} // namespace qg::gate
