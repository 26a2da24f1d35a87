// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/client_job.hpp"

#include "host/running_release.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/size/client_counts.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/slurm/job_desc.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

namespace qg::plugin {
namespace {

using model::JobRequest;

/// Options whose effect on tasks and nodes the client computes only later.
constexpr std::array<const char*, 8> late_options{"sockets-per-node",
                                                  "cores-per-socket",
                                                  "threads-per-core",
                                                  "extra-node-info",
                                                  "nodefile",
                                                  "distribution",
                                                  "hint",
                                                  "ntasks-per-gpu"};

/// A text that is never freed: the process ends.
char* keep(const std::optional<std::string>& text) {
    return text ? (new std::string(*text))->data() : nullptr;
}

/// --gpus-per-task as TRES: from 24.05 on the clients write that down only later. Empty: it is not set.
std::optional<std::string> gpus_per_task(const ClientOptions& options) {
    const auto asked = options.get("gpus-per-task");
    if (!asked) return std::nullopt;
    std::vector<std::string> entries;
    for (const std::string_view entry : text::split(*asked, ','))
        entries.push_back(text::format("gres/gpu:{}", entry));
    return text::join(entries, ",");
}

} // namespace

std::optional<JobRequest> make_request(ClientOptions& options, const ClientCommand& command) {
    job_desc_msg_t* const job = options.describe_job();
    if (job == nullptr) return std::nullopt;
    job->user_id = getuid();
    if (job->array_inx == nullptr) job->array_inx = keep(options.get("array"));
    JobRequest request = slurm::read_job_desc(*job, getuid());
    request.is_batch = command.name == "sbatch" || command.name == "scrontab";
    request.is_het_part = command.part > 0;
    if (!request.tres_per_task) request.tres_per_task = gpus_per_task(options);
    gate::complete_options(request, command.name == "srun" ||
                                        running_release().follows(limits::rules::commands_count_tasks));
    return request;
}

bool counts_later(const ClientOptions& options, const JobRequest& request) {
    return std::getenv("SLURM_HOSTFILE") != nullptr ||
           (request.tasks_per_node && request.max_nodes != request.min_nodes && request.max_nodes) ||
           std::ranges::any_of(late_options, [&](const char* option) { return options.is_set(option); });
}

} // namespace qg::plugin
