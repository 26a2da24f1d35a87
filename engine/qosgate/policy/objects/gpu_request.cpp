// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/gpu_request.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/tres_request.hpp"
#include "qosgate/policy/check/unknown_name.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace qg::policy {
namespace {

using model::JobRequest;

struct Way {
    std::optional<std::string> JobRequest::*text;
    const char* per;
};
constexpr Way ways[] = {{&JobRequest::tres_per_job, "job"},
                        {&JobRequest::tres_per_node, "node"},
                        {&JobRequest::tres_per_socket, "socket"},
                        {&JobRequest::tres_per_task, "task"}};

/// --ntasks-per-gpu without a number of GPUs: slurmctld derives it from the tasks.
std::uint64_t gpus_of_tasks(const JobRequest& request) noexcept {
    const std::uint64_t per_gpu = request.tasks_per_tres.value_or(0);
    if (per_gpu == 0) return 0;
    if (!request.tasks) return std::max(request.min_nodes.value_or(1), 1u);
    return std::max<std::uint64_t>(*request.tasks / per_gpu, 1);
}

} // namespace

GpuRequests::GpuRequests(const JobRequest& request) noexcept {
    for (const Way& way : ways)
        model::for_each_gres_item(request.*way.text, [&](const model::TresItem& item) {
            if (item.name == "gpu") add({item.count, item.kind, way.per});
        });
    if (count_ == 0) add({gpus_of_tasks(request), {}, "job"});
}

void GpuRequests::add(const GpuRequest& request) noexcept {
    if (request.count != 0 && count_ < max) requests_[count_++] = request;
}

GpuRequest GpuRequests::first_kind() const noexcept {
    GpuRequest sum = count_ == 0 ? GpuRequest{} : requests_[0];
    for (std::size_t i = 1; i < count_ && requests_[i].per == sum.per; ++i) {
        const std::uint64_t room = UINT64_MAX - sum.count;
        sum.count += std::min(requests_[i].count, room);
        if (requests_[i].type != sum.type) sum.type = {};
    }
    return sum;
}

std::size_t bytes_of_gpu_requests(const JobRequest& request) noexcept {
    std::size_t bytes = 0;
    for (const Way& way : ways)
        if (const auto& text = request.*way.text) bytes += text->size();
    return bytes;
}

std::string describe_unknown_gpu_field(std::string_view name) {
    static const std::vector<std::string> names{"count", "per", "type"};
    if (std::ranges::find(names, name) != names.end()) return {};
    return text::format("unknown field '{}' of job.gpu{}{}", text::printable(name, 60),
                        text::did_you_mean(name, names), list_of_names(names));
}

} // namespace qg::policy
