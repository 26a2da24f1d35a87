// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/size/count_job.hpp"

#include "qosgate/base/saturate.hpp"
#include "qosgate/gate/nodes/node_demand.hpp"
#include "qosgate/gate/nodes/node_features.hpp"
#include "qosgate/gate/nodes/possible_nodes.hpp"
#include "qosgate/gate/nodes/whole_nodes.hpp"
#include "qosgate/gate/partitions/in_partition.hpp"
#include "qosgate/gate/partitions/partition_bounds.hpp"
#include "qosgate/gate/predict/as_started.hpp"
#include "qosgate/gate/size/billing.hpp"
#include "qosgate/gate/size/ranges.hpp"
#include "qosgate/model/tres_request.hpp"

#include <algorithm>
#include <utility>

namespace qg::gate {
namespace {

using limits::Release;
namespace rules = limits::rules;
using model::JobRequest;
using model::Memory;
using model::Partition;
using model::takes_whole_nodes;
using model::TresCounts;
using model::TresKind;

/// The CPUs that the tasks of a request take; 0 if it does not say how many there are.
std::uint64_t cpus_of_tasks(const JobRequest& request) noexcept {
    return request.tasks.value_or(0) * request.cpus_of_task();
}

const Partition* partition_at(const model::AccountView& view, std::size_t index) {
    return index < view.partitions.size() ? view.partitions[index].partition.get() : nullptr;
}

/// Raises each count to the other's.
void raise_to(TresCounts& counts, const TresCounts& others) {
    for (std::size_t tres = 0; tres < counts.size(); ++tres)
        counts[tres] = std::max(counts[tres], model::count_at(others, tres));
}

/// The CPUs that a job gets for --mincpus or for its memory: on each node a whole multiple of
/// --cpus-per-task, rounded down, if it does not give the tasks per node. One of several nodes may get the
/// CPUs that are left. [L22]
std::uint64_t given_cpus(const JobRequest& request, std::uint64_t nodes, Extent extent) {
    if (!request.min_cpus_per_node) return 0;
    const bool is_rounded = !request.tasks_per_node && (extent == Extent::least || nodes == 1);
    const std::uint64_t per_task = is_rounded ? request.cpus_of_task() : 1;
    return saturated_product(nodes, request.min_cpus_on(1) / per_task * per_task);
}

/// The most of a gres, or of one model of it, that a node of the partition has; very many if that is not
/// known.
[[gnu::cold]] std::uint64_t most_on_node(const Partition* partition, std::string_view gres,
                                         std::string_view gres_model = {}) {
    std::uint64_t most = 0;
    if (partition != nullptr)
        for (const model::NodeKind& kind : partition->node_kinds)
            most = std::max(most, gres_of(kind, gres, gres_model));
    return most == 0 ? any_number : most;
}

/// The most tasks that a job with gres has on one node; empty: as many as its CPUs there hold. `is_open`: it
/// asks for 0 tasks.
[[gnu::cold]] std::optional<std::uint64_t> most_tasks_on_node(const JobRequest& request, const JobSize& size,
                                                              bool is_open) {
    if (request.tasks_per_node.value_or(0) != 0) return request.tasks_per_node;
    const auto of_core = request.details.get(model::JobDetail::tasks_per_core);
    if (is_open || request.tasks_per_socket.value_or(0) != 0 ||
        of_core.kind != model::DetailValue::Kind::unset)
        return std::nullopt;
    if (size.tasks == 1u || (size.tasks == size.nodes && size.tasks == size.max_nodes)) return 1;
    return size.max_nodes == 1u ? size.tasks : std::nullopt;
}

/// The request with the sockets and tasks that it may get beyond what it asks for, each with its gres
/// (limits/README.md 6.3); empty: it gets none. `filled`: the tasks that its CPUs hold. `of_gpus`: those that
/// follow from tasks per GPU. `cpus`: the most on one node.
[[gnu::cold]] std::optional<JobRequest>
add_sockets_and_tasks(const JobRequest& request, const GresRequest& gres, const Partition* partition,
                      std::uint64_t filled, std::uint64_t of_gpus, std::uint64_t cpus) {
    JobRequest more = request;
    const JobSize& size = gres.size();
    const std::uint64_t tasks = size.tasks.value_or(1);
    if (request.tres_per_task) {
        // With tasks per GPU, which no command sends beside them, the CPUs of a node fill them, too.
        if (request.tasks_per_tres) filled = std::max(filled, request.min_cpus_on(1));
        const bool may_fill = size.tasks || request.tasks_per_tres || request.has_counted_cpus;
        if (filled > tasks && may_fill) {
            more.tasks = to_count(filled);
            // They share the CPUs of the GPUs that the job asks for.
            if (request.cpus_per_tres && !request.tres_per_socket && !binds_gres(request) &&
                !request.overcommit) {
                more.min_cpus =
                    to_count(std::max<std::uint64_t>(request.min_cpus.value_or(1), gres.most_cpus()));
                more.cpus_per_tres.reset();
            }
        }
    }
    if (request.tres_per_socket) {
        const std::uint64_t sockets = partition != nullptr ? partition->processors.max_sockets : 0;
        const std::uint64_t most =
            std::min({cpus, sockets == 0 ? any_number : sockets, most_on_node(partition, "gpu")});
        const std::uint64_t per_socket = request.tasks_per_socket.value_or(0);
        const std::uint64_t of_tasks = per_socket == 0 ? 1 : divide_up(tasks, per_socket);
        const std::uint64_t asked = request.sockets_per_node ? *request.sockets_per_node : of_tasks;
        more.sockets_per_node = to_count(std::max(most, asked));
        // The GPUs of further sockets bring no tasks.
        if (of_gpus != 0 && names_gpus(request) && !request.has_counted_cpus) {
            more.tasks = to_count(std::max<std::uint64_t>(of_gpus, more.tasks.value_or(0)));
            more.tasks_per_tres.reset();
        }
    }
    return more.sockets_per_node == request.sockets_per_node && more.tasks == request.tasks
               ? std::nullopt
               : std::optional(std::move(more));
}

} // namespace

/// The request as slurmctld changes it, and its counter, which borrows it.
struct JobCounter::Changed {
    Changed(JobRequest&& changed, const JobCounter& original, const model::AccountView& view)
        : request(std::move(changed)), counter(request, *original.cluster_, original.release_) {
        counter.named_nodes_ = original.named_nodes_;
        counter.has_open_tasks_ = original.has_open_tasks_ || original.request_->tasks == 0u;
        counter.take_size(view);
    }
    Changed(const Changed&) = delete;
    Changed& operator=(const Changed&) = delete;

    JobRequest request;
    JobCounter counter;
};

bool may_take_whole_nodes(const JobRequest& request, const model::AccountView& view,
                          const model::Cluster& cluster) {
    return takes_whole_nodes(request, nullptr, cluster) ||
           std::ranges::any_of(view.partitions, [](const model::PartitionChoice& choice) {
               return choice.partition->gives_whole_nodes;
           });
}

JobCounter::JobCounter(const JobRequest& request, const model::Cluster& cluster, Release release)
    : request_(&request), cluster_(&cluster), release_(release), requested_(size_of(request, release)),
      gres_(request), has_open_tasks_(request.has_counted_cpus && !request.tasks) {}

JobCounter::JobCounter(const JobCounter& other, const model::AccountView& view)
    : request_(other.request_), cluster_(other.cluster_), release_(other.release_),
      requested_(other.requested_), gres_(*other.request_), has_open_tasks_(other.has_open_tasks_),
      named_nodes_(other.named_nodes_) {
    take_size(view);
}

void JobCounter::start(const model::AccountView& view) {
    bool has_whole = may_take_whole_nodes(*request_, view, *cluster_);
    for (std::size_t index = 0; index < view.partitions.size() && !has_whole; ++index)
        has_whole = may_get_more_memory(view, index);
    if (has_whole)
        named_nodes_ = std::make_shared<const NamedNodes>(look_up_named_nodes(*request_, cluster_->names));
    take_size(view);
}

void JobCounter::take_size(const model::AccountView& view) {
    with_partition_min_ = raised_to_partitions(requested_, view);
    gres_.read(with_partition_min_, release_);
    for_limits_ = release_.follows(rules::counts_size_after_gres) ? with_gres() : with_partition_min_;
    if (auto started = as_started(*request_, *cluster_)) [[unlikely]]
        started_ = std::make_shared<const Changed>(std::move(*started), *this, view);
}

TresCounts JobCounter::count_as_submitted(const model::AccountView& view, std::size_t partition) const {
    const std::uint64_t cpus = for_limits_.cpus.value_or(1);
    return count(view, partition, for_limits_.nodes.value_or(1), with_gres().nodes.value_or(1), {cpus, cpus},
                 gres_, Extent::least);
}

void JobCounter::count_submission(const model::AccountView& view, model::ResolvedJob& job) const {
    job.tres = count_as_submitted(view, 0);
    job.time_limit = request_->time_limit;
    // A job that exists got its default when it was submitted, or none. [L22]
    if (!job.time_limit && !request_->has_counted_cpus && !view.partitions.empty())
        job.time_limit = view.partitions.front().partition->default_time;
    // limits/README.md 5.4
    if (!request_->minutes_to_deadline && !request_->is_het_part) job.time_min = request_->time_min;
    if (request_->array)
        job.array_tasks = count_array_tasks(*request_->array, cluster_->max_array_size).value_or(0);
}

std::optional<TresCounts> JobCounter::at_attempt(const model::AccountView& view, std::size_t partition,
                                                 std::optional<std::uint64_t> max_nodes) const {
    if (started_) {
        auto counts = started_->counter.at_attempt(view, partition, max_nodes);
        return counts ? std::move(counts) : started_->counter.count_as_submitted(view, partition);
    }
    if (may_change_in(view, partition) && !view.partitions[partition].is_hidden)
        if (const JobCounter* changed = as_in_partition(view, partition)) {
            auto counts = changed->count_least(view, partition, max_nodes); // it is not changed once more
            return counts ? std::move(counts) : changed->count_as_submitted(view, partition);
        }
    return count_least(view, partition, max_nodes);
}

/// at_attempt() for a request that the partition leaves as it is.
std::optional<TresCounts> JobCounter::count_least(const model::AccountView& view, std::size_t partition,
                                                  std::optional<std::uint64_t> max_nodes) const {
    auto counts =
        count_attempt(view, partition, nodes_at_attempt(view, partition, max_nodes), 0, Extent::least);
    if (const TresCounts* whole = min_of_whole_nodes(view, partition))
        take_whole_nodes(counts, *whole, view, partition);
    if (has_open_memory(view, partition)) take_min_memory(counts, view, partition);
    return counts;
}

bool JobCounter::may_change_in(const model::AccountView& view, std::size_t index) const {
    const Partition* partition = partition_at(view, index);
    return partition != nullptr && may_differ_in(*request_, gres_.asks(), *partition, *cluster_);
}

/// Null: the partition does not change the request.
[[gnu::cold]] const JobCounter* JobCounter::as_in_partition(const model::AccountView& view,
                                                            std::size_t partition) const {
    as_in_partition_.resize(view.partitions.size());
    auto& kept = as_in_partition_[partition];
    if (kept == nullptr)
        if (auto changed = in_partition(*request_, *partition_at(view, partition), *cluster_, Extent::least))
            kept = std::make_shared<const Changed>(*std::move(changed), *this, view);
    return kept ? &kept->counter : nullptr;
}

bool JobCounter::has_open_memory(const model::AccountView& view, std::size_t index) const {
    const Partition* partition = partition_at(view, index);
    if (partition == nullptr || partition->min_node_memory_mib == partition->node_memory_mib) return false;
    return partition->min_node_memory_mib != 0 && takes_all_memory(partition);
}

/// Whether the job takes all memory of its nodes, and these may have more than the first of the partition.
bool JobCounter::may_get_more_memory(const model::AccountView& view, std::size_t index) const {
    const Partition* partition = partition_at(view, index);
    return partition != nullptr && partition->node_kinds.size() > 1 &&
           model::selection_in(partition, *cluster_).shares_out_memory && takes_all_memory(partition);
}

/// No memory at all, like --mem=0, means all memory of the node.
bool JobCounter::takes_all_memory(const Partition* partition) const {
    if (!request_->memory && request_->memory_per_tres) return false;
    const auto memory = asked_memory(partition);
    return !memory || (memory->mib == 0 && !gets_no_memory(*request_, memory));
}

/// Replaces the memory of the first node by that of the smallest nodes.
[[gnu::cold]] void JobCounter::take_min_memory(std::optional<TresCounts>& counts,
                                               const model::AccountView& view, std::size_t index) const {
    const auto mem = view.tres->find(TresKind::mem);
    const auto node = view.tres->node();
    if (!mem || !node) return;
    if (!counts) counts = count_as_submitted(view, index);
    (*counts)[*mem] = partition_at(view, index)->min_node_memory_mib * (*counts)[*node];
    set_billing(*counts, view, index);
}

std::optional<TresCounts> JobCounter::for_rules(const model::AccountView& view,
                                                const TresCounts& submitted) const {
    // A job that slurmctld has tried in a partition that gives whole nodes takes them in the others, too.
    const bool has_whole = may_take_whole_nodes(started_ ? started_->request : *request_, view, *cluster_);
    std::optional<TresCounts> most;
    for (std::size_t index = 0; index < std::max<std::size_t>(view.partitions.size(), 1); ++index) {
        auto counts = count_for_rules(view, index, has_whole);
        if (!counts) continue; // the same as submitted
        raise_to(*counts, most ? *most : submitted);
        most = std::move(counts);
    }
    return most;
}

/// for_rules() for one partition. `has_whole`: the job takes whole nodes in some partition.
std::optional<TresCounts> JobCounter::count_for_rules(const model::AccountView& view, std::size_t index,
                                                      bool has_whole) const {
    if (started_) {
        auto counts = started_->counter.count_for_rules(view, index, has_whole);
        return counts ? std::move(counts) : started_->counter.count_as_submitted(view, index);
    }
    if (may_change_in(view, index))
        if (auto changed = in_partition(*request_, *partition_at(view, index), *cluster_, Extent::most)) {
            const Changed here(*std::move(changed), *this, view);
            auto counts = here.counter.count_most(view, index, has_whole);
            return counts ? std::move(counts) : here.counter.count_as_submitted(view, index);
        }
    return count_most(view, index, has_whole);
}

std::optional<TresCounts> JobCounter::count_most(const model::AccountView& view, std::size_t index,
                                                 bool has_whole) const {
    const std::uint64_t nodes = nodes_for_rules(view, index);
    if (request_->tres_per_socket || request_->tres_per_task) [[unlikely]] {
        const Partition* partition = partition_at(view, index);
        if (auto more = add_sockets_and_tasks(*request_, gres_, partition, filled_tasks(partition, nodes),
                                              tasks_of_gpus(nodes), most_cpus_of_node(nodes))) {
            const Changed with_more(*std::move(more), *this, view);
            auto counts = with_more.counter.count_most_on(view, index, nodes, has_whole);
            return counts ? std::move(counts) : with_more.counter.count_as_submitted(view, index);
        }
    }
    return count_most_on(view, index, nodes, has_whole);
}

/// The tasks among which slurmctld divides the CPUs of a job on so many nodes, beyond those that it asks for;
/// 0: there are no more. Each gets its gres, as far as the nodes have them.
[[gnu::cold]] std::uint64_t JobCounter::filled_tasks(const Partition* partition, std::uint64_t nodes) const {
    const bool is_open = has_open_tasks_ || !request_->tasks;
    if ((request_->overcommit && !is_open) || (has_counted_tasks() && !request_->has_counted_cpus)) return 0;
    // An existing job does not show whether its CPUs for each task are those of its GPUs.
    const bool may_ask_fewer = request_->has_counted_cpus && request_->has_default_cpus_per_gpu;
    const std::uint64_t least_cpus_of_task =
        may_ask_fewer && request_->cpus_per_task ? request_->cpus_of_task() : gres_.cpus_of_task();
    // Only tasks per node bound those that share the CPUs of GPUs.
    std::uint64_t tasks = request_->tasks_per_node.value_or(0) == 0 ? gres_.tasks_of_cpus() : 0;
    if (!most_tasks_on_node(*request_, with_gres(), has_open_tasks_))
        tasks = std::max(tasks,
                         std::max(given_cpus(*request_, nodes, Extent::most), with_gres().cpus.value_or(1)) /
                             least_cpus_of_task);
    if (request_->overcommit) // one for each of these CPUs
        tasks = std::max(cpus_to_share(nodes), nodes * request_->tasks_per_node.value_or(0));
    std::uint64_t most_of_node = 0;
    for (const GresEntry& entry : gres_.entries())
        if (entry.per_task != 0)
            most_of_node =
                std::max(most_of_node, divide_up(most_on_node(partition, entry.item.name, entry.item.kind),
                                                 entry.per_task));
    return std::min(tasks, saturated_product(nodes, most_of_node));
}

/// The tasks that follow from those per GPU on so many nodes; 0: none.
[[gnu::cold]] std::uint64_t JobCounter::tasks_of_gpus(std::uint64_t nodes) const {
    if (!request_->tasks_per_tres) return 0;
    JobSize size = with_gres();
    size.nodes = nodes;
    return GresRequest(*request_, size, release_).size().tasks.value_or(0);
}

/// The CPUs that so many nodes have for tasks which share them, if each task has gres of its own.
std::uint64_t JobCounter::cpus_to_share(std::uint64_t nodes) const {
    const std::uint64_t on_each =
        std::max<std::uint64_t>(request_->min_cpus_per_node.value_or(0), cpus_of_shape(*request_));
    return std::max({std::uint64_t{request_->min_cpus.value_or(1)},
                     std::uint64_t{request_->max_cpus.value_or(0)}, saturated_product(nodes, on_each)});
}

/// The CPUs of the tasks on so many nodes.
std::uint64_t JobCounter::cpus_of_tasks_on(std::uint64_t nodes) const {
    if (request_->overcommit) {
        if (!request_->tres_per_task) return 0;
        // Tasks with gres of their own get CPUs of their own, if the nodes must have them for --mincpus, for
        // their GPUs and the like.
        const std::uint64_t cpus = std::max(most_cpus_of(gres_), cpus_to_share(nodes));
        if (!has_open_tasks_ && request_->tasks)
            return std::max(
                most_cpus_of(gres_),
                std::min(cpus, saturated_product(with_gres().tasks.value_or(1), request_->cpus_of_task())));
        const std::uint64_t tasks = std::max(request_->tasks_per_node.value_or(1), 1u);
        return std::max(cpus, saturated_product(nodes * tasks, gres_.cpus_of_task()));
    }
    if (request_->tasks) return cpus_of_tasks(*request_);
    // Without a number of tasks, which commands send, each node gets as many as it may have.
    return saturated_product(saturated_product(nodes, request_->tasks_per_node.value_or(0)),
                             request_->cpus_of_task());
}

/// The CPUs of one node of a job with gres, if it gets so many nodes, and one CPU at least on each other.
[[gnu::cold]] std::uint64_t JobCounter::most_cpus_of_node(std::uint64_t nodes) const {
    if (request_->cpus_per_tres) return any_number; // more sockets have more GPUs, which bring more CPUs
    if (const auto tasks = most_tasks_on_node(*request_, with_gres(), has_open_tasks_))
        return saturated_product(*tasks, request_->cpus_of_task());
    const std::uint64_t cpus =
        std::max({for_limits_.cpus.value_or(1), cpus_of_tasks(*request_),
                  saturated_product(tasks_of_gpus(nodes), request_->cpus_of_task()),
                  given_cpus(*request_, nodes, Extent::most), cpus_at_attempt(nodes, gres_, Extent::most)});
    return cpus - std::min(cpus - 1, nodes - 1);
}

std::optional<TresCounts> JobCounter::count_most_on(const model::AccountView& view, std::size_t index,
                                                    std::uint64_t nodes, bool has_whole) const {
    const Partition* partition = partition_at(view, index);
    const std::uint64_t of_tasks = cpus_of_tasks_on(nodes);
    const std::uint64_t sent = for_limits_.cpus.value_or(1);
    const std::uint64_t given = given_cpus(*request_, nodes, Extent::most);
    auto counts = count_attempt(view, index, nodes, std::max({sent, of_tasks, given}), Extent::most);
    if (partition == nullptr || (!has_whole && !may_get_more_memory(view, index))) return counts;
    TresCounts whole = count_whole_nodes(view, *partition, nodes, /*hides_nodes=*/false);
    if (!has_whole) {
        TresCounts memory(whole.size());
        if (const auto mem = view.tres->find(TresKind::mem)) memory[*mem] = whole[*mem];
        whole = std::move(memory);
    }
    take_whole_nodes(counts, whole, view, index);
    return counts;
}

/// The number of nodes in one partition for which rules read what the job takes.
std::uint64_t JobCounter::nodes_for_rules(const model::AccountView& view, std::size_t index) const {
    const Partition* partition = partition_at(view, index);
    const model::QosFlags flags = job_qos_flags(view);
    // Of 0 tasks slurmctld derives no GPUs of the job, which would bound its nodes.
    const bool has_open_gpus = has_open_tasks_ && request_->tres_per_task && !request_->tres_per_job;
    const auto& max = has_open_gpus ? with_partition_min_.max_nodes : with_gres().max_nodes;
    // slurmctld derives the nodes of a new job from its gres, but not when a change names others.
    std::uint64_t nodes = std::max(nodes_for_tasks(), with_partition_min_.nodes.value_or(1));
    for (const auto features : {&JobRequest::features, &JobRequest::prefer})
        if (request_->*features) [[unlikely]]
            nodes = std::max(nodes, nodes_of_features(*(request_->*features)));
    if (partition) {
        const std::uint64_t min = bounds::min_nodes.value_for(*partition, flags).value_or(0);
        if (max.value_or(min) >= min) nodes = std::max(nodes, min); // else it never starts here
    }
    if (max && *max <= nodes) return nodes;
    // Tasks that follow from those per node bound no range.
    if (max && !request_->tasks)
        return std::max(nodes, partition ? cap_nodes(*max, *partition, flags) : *max);
    if (max) return std::max(nodes, end_of_range(*max, partition, flags));
    const std::uint64_t tasks = with_gres().tasks.value_or(1);
    if (tasks > 1 && request_->details.get(model::JobDetail::spread_job).number != 0) [[unlikely]]
        return std::max(nodes, end_of_range(tasks, partition, flags));
    if (!partition || view.partitions.size() > max_partitions_by_node || !may_need_several_nodes(*partition))
        return nodes;
    return std::max(nodes, fewest_nodes(*request_, with_gres(), gres_, *partition, *cluster_));
}

/// Whether the job's tasks, CPUs, memory or gres may not fit on one node of the partition.
bool JobCounter::may_need_several_nodes(const Partition& partition) const {
    const std::uint64_t per_socket = request_->tasks_per_socket.value_or(0);
    if (gres_.is_per_job() || (per_socket != 0 && with_gres().tasks.value_or(1) > per_socket)) return true;
    const std::uint64_t cpus =
        request_->overcommit ? 1 : std::max(with_gres().cpus.value_or(1), cpus_of_tasks(*request_));
    if (cpus <= 1) return false;
    const auto memory = asked_memory(&partition);
    // Tasks may use one thread of each core, and get the memory of all.
    const std::uint32_t threads = partition.processors.max_threads_per_core;
    return saturated_product(cpus, threads) > partition.min_node_cpus ||
           (memory && memory->per_cpu &&
            saturated_product(saturated_product(memory->mib, cpus), threads) > partition.min_node_memory_mib);
}

const TresCounts* JobCounter::min_of_whole_nodes(const model::AccountView& view, std::size_t index) const {
    if (started_) return started_->counter.min_of_whole_nodes(view, index);
    const Partition* partition = partition_at(view, index);
    if (!partition || view.partitions[index].is_hidden || !takes_whole_nodes(*request_, partition, *cluster_))
        return nullptr;
    whole_nodes_.resize(2 * view.partitions.size());
    auto& known = whole_nodes_[2 * index + (view.hidden.nodes ? 1 : 0)];
    if (!known) known = count_whole_nodes(view, *partition, with_gres().nodes.value_or(1), view.hidden.nodes);
    return &*known;
}

TresCounts JobCounter::count_whole_nodes(const model::AccountView& view, const Partition& partition,
                                         std::uint64_t min_nodes, bool hides_nodes) const {
    const std::uint64_t min_cpus = min_nodes * partition.min_node_cpus;
    WholeNodes nodes{.cpus = min_cpus,
                     .cpus_with_memory =
                         cpus_with_memory(*request_, min_cpus, partition.processors.max_threads_per_core),
                     .gres = TresCounts(view.tres->size())};
    if (!hides_nodes && view.partitions.size() <= max_partitions_by_node)
        nodes = min_whole_nodes(
            *request_, partition, *cluster_, *named_nodes_, min_nodes,
            cap_nodes(request_->max_nodes.value_or(UINT32_MAX), partition, job_qos_flags(view)), *view.tres);

    TresCounts min = std::move(nodes.gres);
    if (const auto cpu = view.tres->find(TresKind::cpu)) min[*cpu] = nodes.cpus;
    const auto memory = memory_of(*request_, partition, *cluster_);
    const auto mem = view.tres->find(TresKind::mem);
    if (mem && memory && memory->per_cpu && model::selection_in(&partition, *cluster_).shares_out_memory)
        min[*mem] = saturated_product(memory->mib, nodes.cpus_with_memory);
    if (mem && takes_all_memory(&partition)) min[*mem] = nodes.memory_mib;
    const auto gpu = view.tres->find("gres/gpu");
    if (mem && gpu) {
        // For each model that the job asks for slurmctld adds the memory of all GPUs. [L22]
        const auto models = std::ranges::count_if(gres_.entries(), [](const GresEntry& entry) {
            return entry.item.name == "gpu" && entry.total != 0;
        });
        const std::uint64_t gpus =
            saturated_product(min[*gpu], static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(models, 1)));
        model::for_each_gres_item(request_->memory_per_tres, [&](const model::TresItem& item) {
            if (item.name == "gpu") min[*mem] = std::max(min[*mem], saturated_product(item.count, gpus));
        });
    }
    return min;
}

/// Raises what is counted to what the nodes come to, where that is more.
[[gnu::cold]] void JobCounter::take_whole_nodes(std::optional<TresCounts>& counts, const TresCounts& whole,
                                                const model::AccountView& view, std::size_t index) const {
    if (!counts) counts = count_as_submitted(view, index);
    raise_to(*counts, whole);
    set_billing(*counts, view, index);
}

/// The counts on so many nodes with at least so many CPUs; empty if they are the same as at submission.
std::optional<TresCounts> JobCounter::count_attempt(const model::AccountView& view, std::size_t partition,
                                                    std::uint64_t nodes, std::uint64_t min_cpus,
                                                    Extent extent) const {
    if (gres_.asks()) {
        JobSize size = with_gres();
        size.nodes = nodes;
        if (request_->tasks_per_node && !has_counted_tasks()) size.tasks = nodes * *request_->tasks_per_node;
        // With gres per task each node has a task. slurmctld refuses a job that names fewer, but not one of
        // 0.
        if (request_->tres_per_task) size.tasks = std::max(size.tasks.value_or(1), nodes);
        if (size != with_partition_min_) {
            const GresRequest gres(*request_, size, release_);
            const bool adds_tasks = request_->tasks_per_tres && extent == Extent::most;
            const std::uint64_t tasks = adds_tasks ? gres.size().tasks.value_or(0) : 0;
            const std::uint64_t cpus = std::max({min_cpus, cpus_at_attempt(nodes, gres, extent),
                                                 saturated_product(tasks, request_->cpus_of_task())});
            return count(view, partition, nodes, nodes, give_cores(view, partition, cpus, nodes, extent),
                         gres, extent);
        }
    }
    const std::uint64_t cpus = std::max(min_cpus, cpus_at_attempt(nodes, gres_, extent));
    const GivenCpus given = give_cores(view, partition, cpus, nodes, extent);
    const bool is_as_submitted = partition == 0 && nodes == for_limits_.nodes && nodes == with_gres().nodes &&
                                 given.cpus == for_limits_.cpus && given.with_memory == given.cpus;
    const bool has_other_memory = extent == Extent::most && request_->memory_per_tres;
    if (is_as_submitted && !has_other_memory) return std::nullopt;
    return count(view, partition, nodes, nodes, given, gres_, extent);
}

/// Whether the memory for each GPU that an existing job shows may be the default of another partition, and
/// count for nothing in this one.
bool JobCounter::may_have_other_memory(const Partition* partition, Extent extent) const {
    const bool has_default = partition != nullptr && gpu_defaults(*partition, *cluster_).mib.value_or(0) != 0;
    return extent == Extent::most && !has_default && may_show_default(*request_, request_->memory_per_tres);
}

/// The CPUs of whole cores, where a job gets these. What nodes of a hidden partition have is not told.
GivenCpus JobCounter::give_cores(const model::AccountView& view, std::size_t index, std::uint64_t cpus,
                                 std::uint64_t nodes, Extent extent) const {
    const Partition* partition = partition_at(view, index);
    const bool is_most = extent == Extent::most && partition != nullptr;
    const bool may_add =
        is_most && ((gres_.asks() && binds_gres(*request_)) || may_share_cores(*request_, partition));
    if (extent == Extent::least && partition != nullptr && view.partitions[index].is_hidden)
        return {cpus, cpus};
    if (gives_whole_cores(partition, *cluster_) || may_add) [[unlikely]] {
        if (extent == Extent::least) nodes = std::min(nodes, nodes_for_tasks()); // of a range, the fewest
        return whole_cores(*request_, *partition, *cluster_, cpus, std::max<std::uint64_t>(nodes, 1), extent,
                           has_open_tasks_ ? TaskCount::open : TaskCount::as_asked);
    }
    return {cpus, cpus};
}

JobSize JobCounter::size_with(std::optional<std::uint64_t> nodes) const {
    JobSize size = requested_;
    if (nodes) size.nodes = nodes;
    if (!gres_.asks()) return size;
    if (size == with_partition_min_) return with_gres();
    return GresRequest(*request_, size, release_).size();
}

/// The smallest MinNodes of several partitions raises the job's number of nodes.
JobSize JobCounter::raised_to_partitions(JobSize size, const model::AccountView& view) const {
    const std::uint64_t min =
        view.partitions.empty()
            ? 0
            : raised_min_nodes(widest_partition(view, bounds::min_nodes), job_qos_flags(view), release_);
    if (!size.nodes)
        size.nodes = std::max<std::uint64_t>(min, 1);
    else if (*size.nodes < min && size.max_nodes.value_or(min) >= min)
        size.nodes = min;
    if (!size.cpus) size.cpus = size.nodes;
    return size;
}

/// The selection never takes fewer nodes than the tasks need, nor than the CPUs that a job keeps when a
/// change takes tasks from it.
std::uint64_t JobCounter::nodes_for_tasks() const {
    const std::uint64_t nodes = with_gres().nodes.value_or(1);
    const std::uint64_t per_node = request_->tasks_per_node.value_or(0);
    if (per_node == 0) return nodes;
    const std::uint64_t of_tasks = divide_up(with_gres().tasks.value_or(0), per_node);
    if (!request_->has_counted_cpus || request_->overcommit) return std::max(nodes, of_tasks);
    const std::uint64_t on_each = std::max(per_node * request_->cpus_of_task(), request_->min_cpus_on(1));
    return std::max({nodes, of_tasks, divide_up(request_->min_cpus.value_or(0), on_each)});
}

std::uint64_t JobCounter::nodes_at_attempt(const model::AccountView& view, std::size_t index,
                                           std::optional<std::uint64_t> max_nodes) const {
    const Partition* partition = partition_at(view, index);
    const model::QosFlags flags = job_qos_flags(view);
    std::uint64_t nodes = nodes_for_tasks();
    if (partition) nodes = std::max(nodes, bounds::min_nodes.value_for(*partition, flags).value_or(0));
    if (!with_gres().max_nodes || gres_.is_per_job()) return nodes;
    const std::uint64_t max = end_of_range(*with_gres().max_nodes, partition, flags);
    return std::max(nodes, std::min(max, max_nodes.value_or(max)));
}

/// If the job names a range of nodes, the selection aims at its maximum, with at least one task per node.
std::uint64_t JobCounter::end_of_range(std::uint64_t max, const Partition* partition,
                                       model::QosFlags flags) const {
    const bool needs_tasks =
        !release_.follows(rules::gives_nodes_without_tasks) || request_->tasks_per_node.value_or(0) == 0;
    if (needs_tasks && !has_open_tasks_) max = std::min(max, with_gres().tasks.value_or(max));
    return partition ? cap_nodes(max, *partition, flags) : max;
}

bool JobCounter::has_counted_tasks() const {
    return release_.follows(rules::allocates_by_tasks) && request_->tasks;
}

/// Every node gets CPUs for its tasks, and every gres gets its CPUs. A single task is not repeated on other
/// nodes. Tasks that share CPUs (--overcommit) get the CPUs of one task on every node that has tasks; CPUs of
/// gres count for them only in releases that count the size after gres.
std::uint64_t JobCounter::cpus_at_attempt(std::uint64_t nodes, const GresRequest& gres, Extent extent) const {
    const std::uint64_t per_task = request_->cpus_of_task();
    const std::uint64_t of_gres = extent == Extent::most ? most_cpus_of(gres) : gres.cpus();
    if (request_->overcommit) {
        const std::uint64_t sharing =
            has_counted_tasks() ? std::min<std::uint64_t>(*request_->tasks, nodes) : nodes;
        return std::max(sharing * per_task, release_.follows(rules::counts_size_after_gres) ? of_gres : 0);
    }
    if (has_counted_tasks()) return std::max(*request_->tasks * per_task, of_gres);
    const bool is_alone = with_gres().tasks.value_or(0) <= 1;
    const std::uint64_t tasks = is_alone ? 1 : request_->tasks_per_node.value_or(1);
    return std::max({with_gres().cpus.value_or(1), of_gres, nodes * tasks * per_task,
                     given_cpus(*request_, nodes, Extent::least)});
}

/// If a job says how many tasks a node has, slurmctld keeps only the cores for these and for the GPUs of the
/// last model. Of a job that was changed it is not known which model is the last. [L22]
std::uint64_t JobCounter::most_cpus_of(const GresRequest& gres) const {
    const bool has_certain = gres.cpus() == gres.most_cpus() ||
                             (!request_->has_counted_cpus &&
                              most_tasks_on_node(*request_, gres.size(), has_open_tasks_).has_value());
    return has_certain ? gres.cpus() : gres.most_cpus();
}

TresCounts JobCounter::count(const model::AccountView& view, std::size_t index, std::uint64_t nodes,
                             std::uint64_t memory_nodes, GivenCpus cpus, const GresRequest& gres,
                             Extent extent) const {
    const Partition* partition = partition_at(view, index);
    TresCounts counts(view.tres->size());
    const auto set = [&](TresKind tres, std::uint64_t value) {
        if (const auto at = view.tres->find(tres)) counts[*at] = value;
    };
    gres.count(*view.tres, counts);
    count_licenses(*view.tres, counts);
    set(TresKind::node, nodes);
    set(TresKind::cpu, cpus.cpus);
    set(TresKind::mem, count_memory(cpus.with_memory, memory_nodes, gres, partition, extent));
    set_billing(counts, view, index);
    return counts;
}

void JobCounter::set_billing(TresCounts& counts, const model::AccountView& view, std::size_t index) const {
    const auto billing = view.tres->find(TresKind::billing);
    if (!billing) return;
    const Partition* partition = partition_at(view, index);
    counts[*billing] = billing_of(
        counts, *view.tres, partition ? std::string_view(partition->billing_weights) : "", cluster_->billing);
}

void JobCounter::count_licenses(const model::TresCatalogue& catalogue, TresCounts& counts) const {
    if (!request_->licenses) return;
    for (const model::TresItem& item : model::parse_licenses(*request_->licenses))
        if (const auto index = find_tres(catalogue, item))
            counts[*index] = model::LicensePart::sum(counts[*index], item.count);
}

/// As sent, or the default; empty if there is neither.
std::optional<Memory> JobCounter::asked_memory(const Partition* partition) const {
    return request_->memory ? request_->memory : default_memory_of(partition, *cluster_);
}

std::uint64_t JobCounter::count_memory(std::uint64_t cpus, std::uint64_t nodes, const GresRequest& gres,
                                       const Partition* partition, Extent extent) const {
    auto per_gres = request_->memory ? std::nullopt : gres.memory(nodes);
    if (per_gres && extent == Extent::most) per_gres = std::max(*per_gres, gres.memory_of_all());
    if (per_gres && !may_have_other_memory(partition, extent)) return *per_gres;
    const std::uint64_t of_gres = per_gres.value_or(0);
    if (request_->memory && gets_no_memory(*request_, request_->memory)) return of_gres;
    const std::optional<Memory> memory = asked_memory(partition);
    if (!memory || memory->mib == 0)
        return std::max(of_gres, (partition ? partition->node_memory_mib : 0) * nodes);
    return std::max(of_gres, saturated_product(memory->mib, memory->per_cpu ? cpus : nodes));
}

model::ResolvedJob count_job(const JobRequest& request, const model::AccountView& view,
                             const model::Cluster& cluster, Release release) {
    model::ResolvedJob job;
    JobCounter(request, view, cluster, release).count_submission(view, job);
    return job;
}

} // namespace qg::gate
