// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/count_job.hpp"

#include "qosgate/gate/billing.hpp"
#include "qosgate/gate/index_list.hpp"
#include "qosgate/gate/tres_request.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using limits::Release;
using model::JobRequest;
using model::Memory;
using model::TresCounts;
using model::TresKind;

/// From here on --cpus-per-gpu counts at submission (limits.md 7).
constexpr Release counts_cpus_per_tres(24, 5, 0);
/// From here on a --nodelist longer than --nodes no longer raises the counts.
constexpr Release ignores_long_node_list(23, 2, 0);
/// From here on a QOS with PartitionMinNodes keeps the partition's MinNodes from raising the count.
constexpr Release honours_partition_min_nodes(26, 5, 0);

/// One request while it is being counted.
class Counting {
  public:
    Counting(const JobRequest& request, const model::AccountView& view, const model::Cluster& cluster,
             Release release)
        : request_(request), view_(view), cluster_(cluster), release_(release),
          partition_(view.partitions.empty() ? nullptr : view.partitions.front().partition.get()),
          counts_(view.tres->size()) {}

    TresCounts count() {
        nodes_ = count_nodes_asked();
        tasks_ = count_tasks();
        cpus_ = count_cpus();
        raise_to_node_list();
        raise_to_partition();
        count_gres();
        set(TresKind::node, nodes_);
        set(TresKind::cpu, cpus_);
        set(TresKind::mem, count_memory());
        const auto billing = view_.tres->find(TresKind::billing);
        if (billing)
            counts_[*billing] = billing_of(counts_, *view_.tres,
                                           partition_ ? std::string_view(partition_->billing_weights) : "");
        return std::move(counts_);
    }

  private:
    std::uint64_t count_nodes_asked() const {
        if (request_.min_nodes) return std::max<std::uint64_t>(*request_.min_nodes, 1);
        if (request_.required_nodes) return std::max<std::uint64_t>(count_nodes(*request_.required_nodes), 1);
        return 1;
    }

    std::optional<std::uint64_t> count_tasks() const {
        if (request_.tasks) return *request_.tasks;
        if (request_.tasks_per_node) return std::uint64_t{*request_.tasks_per_node} * nodes_;
        return std::nullopt;
    }

    std::uint64_t count_cpus() const {
        const std::uint64_t per_task = std::max<std::uint64_t>(request_.cpus_per_task.value_or(1), 1);
        const bool too_few = !request_.min_cpus || (tasks_ && *tasks_ > *request_.min_cpus);
        if (too_few && !request_.overcommit) return tasks_.value_or(nodes_) * per_task;
        return std::max<std::uint64_t>(request_.min_cpus.value_or(1), 1);
    }

    void raise_to_node_list() {
        if (release_ >= ignores_long_node_list || !request_.required_nodes) return;
        const std::uint64_t listed = count_nodes(*request_.required_nodes);
        nodes_ = std::max(nodes_, listed);
        cpus_ = std::max(cpus_, listed);
    }

    void raise_to_partition() {
        const bool exempt = release_ >= honours_partition_min_nodes && view_.job_qos.qos &&
                            view_.qos[*view_.job_qos.qos].flags.partition_min_nodes;
        if (partition_ && !exempt) nodes_ = std::max<std::uint64_t>(nodes_, partition_->min_nodes);
    }

    /// The multiplier of tres_per_socket.
    std::uint64_t sockets() const {
        if (request_.tasks_per_socket && tasks_)
            return (*tasks_ + *request_.tasks_per_socket - 1) / *request_.tasks_per_socket;
        return std::max<std::uint64_t>(request_.sockets_per_node.value_or(1), 1) * nodes_;
    }

    void count_gres() {
        add_items(request_.tres_per_job, 1);
        add_items(request_.tres_per_node, nodes_);
        add_items(request_.tres_per_socket, sockets());
        add_items(request_.tres_per_task, tasks_.value_or(1));
        if (request_.licenses)
            for (const TresItem& item : parse_licenses(*request_.licenses))
                raise(item.tres_name(), item.count);
        if (release_ >= counts_cpus_per_tres && request_.cpus_per_tres)
            for (const TresItem& item : parse_tres_request(*request_.cpus_per_tres))
                cpus_ = std::max(cpus_, item.count * counted(item.tres_name()));
    }

    void add_items(const std::optional<std::string>& text, std::uint64_t times) {
        if (!text) return;
        // Several models of one gres add up in the gres itself: "gpu:a100:1,gpu:h100:2" is three GPUs.
        std::vector<std::pair<std::string, std::uint64_t>> untyped;
        for (const TresItem& item : parse_tres_request(*text)) {
            if (item.name.empty()) continue;
            const std::string whole = item.untyped_tres_name();
            const auto sum =
                std::find_if(untyped.begin(), untyped.end(), [&](const auto& u) { return u.first == whole; });
            if (sum == untyped.end())
                untyped.emplace_back(whole, item.count);
            else
                sum->second += item.count;
            if (!item.kind.empty()) raise(item.tres_name(), item.count * times);
        }
        for (const auto& [name, count] : untyped)
            raise(name, count * times);
    }

    std::uint64_t counted(const std::string& tres) const {
        const auto index = view_.tres->find(tres);
        return index ? counts_[*index] : 0;
    }

    /// Of the ways to ask for one TRES the largest counts.
    void raise(const std::string& tres, std::uint64_t count) {
        if (const auto index = view_.tres->find(tres)) counts_[*index] = std::max(counts_[*index], count);
    }

    void set(TresKind tres, std::uint64_t count) {
        if (const auto index = view_.tres->find(tres)) counts_[*index] = count;
    }

    std::uint64_t count_memory() const {
        std::optional<Memory> memory = request_.memory;
        if (!memory && request_.memory_per_tres) {
            std::uint64_t sum = 0;
            for (const TresItem& item : parse_tres_request(*request_.memory_per_tres))
                sum += item.count * counted(item.tres_name());
            return sum;
        }
        if (!memory && partition_) memory = partition_->default_memory;
        if (!memory) memory = cluster_.default_memory;
        // Nothing said, and --mem=0, mean all of the node.
        if (!memory || memory->mib == 0) return (partition_ ? partition_->node_memory_mib : 0) * nodes_;
        return memory->mib * (memory->per_cpu ? cpus_ : nodes_);
    }

    const JobRequest& request_;
    const model::AccountView& view_;
    const model::Cluster& cluster_;
    Release release_;
    const model::Partition* partition_;
    TresCounts counts_;
    std::uint64_t nodes_ = 1;
    std::optional<std::uint64_t> tasks_;
    std::uint64_t cpus_ = 1;
};

} // namespace

model::ResolvedJob count_job(const JobRequest& request, const model::AccountView& view,
                             const model::Cluster& cluster, Release release) {
    model::ResolvedJob job;
    job.tres = Counting(request, view, cluster, release).count();
    job.time_limit = request.time_limit;
    if (!job.time_limit && !view.partitions.empty())
        job.time_limit = view.partitions.front().partition->default_time;
    if (request.array)
        job.array_tasks = count_array_tasks(*request.array, cluster.max_array_size).value_or(1);
    return job;
}

} // namespace qg::gate
