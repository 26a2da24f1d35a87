// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partitions/in_partition.hpp"

#include "qosgate/base/saturate.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/nodes/node_demand.hpp"
#include "qosgate/gate/partitions/partition_list.hpp"
#include "qosgate/gate/size/gres_request.hpp"
#include "qosgate/gate/size/job_size.hpp"
#include "qosgate/model/tres_request.hpp"

#include <algorithm>
#include <utility>

namespace qg::gate {
namespace {

using model::JobRequest;
using model::Memory;
using model::Partition;

/// The largest count for GPUs in --cpus-per-gpu or --mem-per-gpu; 0: none.
std::uint64_t count_per_gpu(const std::optional<std::string>& text) {
    std::uint64_t most = 0;
    model::for_each_gres_item(text, [&](const model::TresItem& item) {
        if (item.name == "gpu") most = std::max(most, item.count);
    });
    return most;
}

/// Whether the job leaves the CPUs of a task open. slurmctld shows one CPU for these, too.
bool leaves_cpus_open(const JobRequest& request, Extent extent) {
    const bool may_be_default = request.has_counted_cpus && extent == Extent::most;
    return !request.cpus_per_task ||
           (may_be_default && (*request.cpus_per_task <= 1 || request.tres_per_task));
}

/// Whether a default replaces what the job says of each GPU.
bool replaces(std::optional<std::uint64_t> value, const JobRequest& request,
              const std::optional<std::string>& text, Extent extent) {
    if (!value || *value == 0) return false;
    const std::uint64_t present = count_per_gpu(text);
    return present == 0 || (extent == Extent::most && may_show_default(request, text) && *value > present);
}

/// A request that is copied when it changes.
class ChangedRequest {
  public:
    explicit ChangedRequest(const JobRequest& request) : request_(request) {}

    [[nodiscard]] const JobRequest& now() const { return changed_ ? *changed_ : request_; }
    JobRequest& change() { return changed_ ? *changed_ : changed_.emplace(request_); }
    [[nodiscard]] std::optional<JobRequest> take() { return std::move(changed_); }

  private:
    const JobRequest& request_;
    std::optional<JobRequest> changed_;
};

/// The memory of an existing job may be a default, which slurmctld looks up in each partition.
void set_default_memory(ChangedRequest& request, const Partition& partition, const model::Cluster& cluster) {
    if (!request.now().has_default_memory || !request.now().memory) return;
    const auto memory = default_memory_of(&partition, cluster);
    if (memory != request.now().memory) request.change().memory = memory;
}

/// Without memory the job has none at an attempt, unless GPUs bring some.
void set_no_memory(ChangedRequest& request, const Partition& partition, const model::Cluster& cluster) {
    const auto memory = default_memory_of(&partition, cluster);
    if (request.now().memory || request.now().memory_per_tres || !gets_no_memory(request.now(), memory))
        return;
    request.change().memory = memory;
    request.change().has_default_memory = true;
}

void set_gpu_defaults(ChangedRequest& request, const Partition& partition, const model::Cluster& cluster,
                      Extent extent) {
    const GpuDefaults defaults = gpu_defaults(partition, cluster);
    if (!defaults.are_set() || !(request.now().tasks_per_tres || names_gpus(request.now()))) return;
    if (leaves_cpus_open(request.now(), extent) &&
        replaces(defaults.cpus, request.now(), request.now().cpus_per_tres, extent)) {
        request.change().cpus_per_tres = text::format("gres:gpu:{}", *defaults.cpus);
        request.change().has_default_cpus_per_gpu = true;
    }
    const bool leaves_memory_open = !request.now().memory || request.now().has_default_memory;
    if (leaves_memory_open && replaces(defaults.mib, request.now(), request.now().memory_per_tres, extent)) {
        request.change().memory.reset();
        request.change().memory_per_tres = text::format("gres:gpu:{}", *defaults.mib);
    }
}

/// The memory for which MaxMemPerCPU may add CPUs. slurmctld looks at the default memory also of a job that
/// gets memory for each GPU instead, and without any default at all memory of the node. [L22]
std::optional<Memory> memory_for_cpus(const JobRequest& request, const Partition& partition,
                                      const model::Cluster& cluster, Extent extent) {
    if (extent == Extent::least) return memory_of(request, partition, cluster);
    const auto memory = request.memory ? request.memory : default_memory_of(&partition, cluster);
    return memory ? memory : Memory{0, /*per_cpu=*/false};
}

/// More CPUs instead of more memory for each, as MaxMemPerCPU says.
void add_cpus_for_memory(ChangedRequest& request, const Partition& partition, const model::Cluster& cluster,
                         Extent extent) {
    const std::optional<Memory> asked = memory_for_cpus(request.now(), partition, cluster, extent);
    const auto more = cpus_for_memory(asked, partition, cluster);
    if (!more || gets_no_memory(request.now(), asked)) return;
    if (!asked->per_cpu || asked->mib == 0) {
        if (request.now().min_cpus_per_node.value_or(0) >= to_count(more->cpus)) return;
        JobRequest& changed = request.change();
        changed.min_cpus_per_node = to_count(more->cpus);
        // They are those of the tasks of a node. Tasks that share CPUs get the CPUs of one.
        if (changed.overcommit && changed.tasks_per_node.value_or(0) != 0)
            changed.cpus_per_task = to_count(divide_up(more->cpus, *changed.tasks_per_node));
        return;
    }
    JobRequest& changed = request.change();
    if (changed.memory || !changed.memory_per_tres) changed.memory = Memory{more->mib, /*per_cpu=*/true};
    changed.cpus_per_task = to_count(changed.cpus_of_task() * to_count(more->cpus));
    if (changed.tasks.value_or(0) != 0) {
        changed.min_cpus = to_count(*changed.tasks * std::uint64_t{*changed.cpus_per_task});
        // Each node has a task, and one of a job of 0 tasks must have its CPUs.
        changed.min_cpus_per_node = std::max(changed.min_cpus_per_node.value_or(0), *changed.cpus_per_task);
    } else if (changed.tasks_per_node.value_or(0) == 0)
        changed.min_cpus_per_node = changed.cpus_per_task;
}

/// The largest factor by which a partition can have divided memory per CPU: a divisor of the CPUs per task.
/// Rounded up, the memory before is more than `max_mib` times one less than the factor.
std::uint64_t largest_factor(std::uint64_t cpus_of_task, std::uint64_t mib, std::uint64_t max_mib) {
    if (mib > max_mib) return 1;
    const auto can_be = [&](std::uint64_t factor) {
        return saturated_product(factor, max_mib - mib) < max_mib;
    };
    std::uint64_t largest = 1;
    for (std::uint64_t divisor = 1; divisor * divisor <= cpus_of_task; ++divisor) {
        if (cpus_of_task % divisor != 0) continue;
        for (const std::uint64_t factor : {divisor, cpus_of_task / divisor})
            if (can_be(factor)) largest = std::max(largest, factor);
    }
    return largest;
}

/// The same of an existing job in all its partitions.
std::uint64_t largest_factor_of(const JobRequest& shown, const model::Cluster& cluster) {
    const std::uint64_t cpus = shown.cpus_of_task();
    if (!shown.memory || !shown.memory->per_cpu || shown.memory->mib == 0 || shown.has_default_memory)
        return 1;
    const std::uint64_t tasks = tasks_for_memory(shown);
    const bool may_be_replaced =
        tasks != 0 ? shown.min_cpus == tasks * cpus : shown.min_cpus_per_node == cpus;
    if (cpus == 1 || !may_be_replaced) return 1;
    std::uint64_t largest = 1;
    for (const auto& partition : find_partitions(shown, cluster, /*is_new=*/false).found)
        if (const auto max = max_memory_of(*partition, cluster); max && max->per_cpu)
            largest = std::max(largest, largest_factor(cpus, shown.memory->mib, max->mib));
    return largest;
}

} // namespace

bool hides_cpus(const JobRequest& request, const Partition& partition, const model::Cluster& cluster) {
    if (!asks_beyond_tasks(request)) return false;
    const bool is_asked = request.memory && !request.has_default_memory;
    const auto memory = is_asked ? request.memory : default_memory_of(&partition, cluster);
    return memory && memory->per_cpu && memory->mib != 0 && cpus_for_memory(memory, partition, cluster);
}

std::optional<JobRequest> with_undivided_memory(const JobRequest& after, const JobRequest& shown,
                                                const model::Cluster& cluster) {
    if (after.has_default_memory || after.memory != shown.memory) return std::nullopt;
    const std::uint64_t factor = largest_factor_of(shown, cluster);
    if (factor == 1) return std::nullopt;
    std::optional<JobRequest> original = after;
    original->memory->mib = saturated_product(after.memory->mib, factor);
    const std::uint32_t cpus_of_task = to_count(shown.cpus_of_task() / factor);
    if (after.cpus_per_task == shown.cpus_per_task) original->cpus_per_task = cpus_of_task;
    const std::uint64_t tasks = tasks_for_memory(shown);
    if (tasks != 0 && after.min_cpus == shown.min_cpus) original->min_cpus = to_count(tasks * cpus_of_task);
    if (tasks == 0 && after.min_cpus_per_node == shown.min_cpus_per_node)
        original->min_cpus_per_node = cpus_of_task;
    return original;
}

std::optional<JobRequest> in_partition(const JobRequest& request, const Partition& partition,
                                       const model::Cluster& cluster, Extent extent) {
    ChangedRequest changed(request);
    set_default_memory(changed, partition, cluster);
    set_no_memory(changed, partition, cluster);
    set_gpu_defaults(changed, partition, cluster, extent);
    add_cpus_for_memory(changed, partition, cluster, extent);
    return changed.take();
}

} // namespace qg::gate
