// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/effort.hpp"

#include "qosgate/base/text.hpp"

namespace qg::gate {
namespace {

using model::JobRequest;

/// Ways to start a job.
constexpr std::size_t most_ways = 64;
static_assert(most_partitions <= most_ways);

std::size_t count_ways(const Resolved& resolved) {
    const model::AccountView& view = resolved.view();
    return view.partitions.size() * (1 + view.job_qos.more.size());
}

} // namespace

std::optional<std::string> why_too_much(const JobRequest& request, const Resolved& resolved) {
    if (resolved.partitions.is_cut) return text::format("it names more than {} partitions", most_partitions);
    const model::AccountView& view = resolved.view();
    const std::size_t ways = count_ways(resolved);
    if (ways > most_ways)
        return text::format("{} QOSs in {} partitions are more than {} ways to start the job",
                            1 + view.job_qos.more.size(), view.partitions.size(), most_ways);
    const std::size_t bytes = bytes_of_resources(request);
    if (is_too_long_for(ways, bytes))
        return text::format("{} bytes of resources and licenses are too long to be counted for {} ways to "
                            "start the job",
                            bytes, ways);
    return std::nullopt;
}

bool is_short(const JobRequest& request, const Resolved& resolved) {
    constexpr std::size_t most_short_ways = 8;
    constexpr std::size_t most_bytes = 512;
    const std::size_t bytes = bytes_of_resources(request) + request.array.value_or("").size() +
                              request.required_nodes.value_or("").size();
    return bytes <= most_bytes && count_ways(resolved) <= most_short_ways;
}

} // namespace qg::gate
