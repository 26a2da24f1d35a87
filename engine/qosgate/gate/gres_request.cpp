// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/gres_request.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using limits::Release;

bool is_gpu(const GresEntry& entry) {
    return entry.item.name == "gpu";
}

} // namespace

GresRequest::GresRequest(const model::JobRequest& request, JobSize& size, Release release)
    : request_(&request), asks_(request.tres_per_job || request.tres_per_node || request.tres_per_socket ||
                                request.tres_per_task || request.tasks_per_tres || request.cpus_per_tres ||
                                request.memory_per_tres) {
    if (asks_) read_all(request, size, release);
    tasks_ = size.tasks;
}

void GresRequest::read_all(const model::JobRequest& request, JobSize& size, Release release) {
    imply_tasks(size);
    const std::uint64_t nodes = size.nodes.value_or(1);
    const auto raise = [](GresEntry& entry, std::uint64_t count) {
        entry.total = std::max(entry.total, count);
    };
    read(request.cpus_per_tres, [](GresEntry& entry, std::uint64_t count) { entry.cpus = count; });
    read(request.tres_per_job, [&](GresEntry& entry, std::uint64_t count) {
        entry.per_job = count;
        raise(entry, count);
    });
    read(request.tres_per_node, [&](GresEntry& entry, std::uint64_t count) {
        entry.per_node = count;
        raise(entry, count * nodes);
    });
    read(request.tres_per_socket, [&](GresEntry& entry, std::uint64_t count) {
        entry.per_socket = count;
        if (request.sockets_per_node)
            count *= nodes * *request.sockets_per_node;
        else if (size.tasks && request.tasks_per_socket)
            count *= (*size.tasks + *request.tasks_per_socket - 1) / *request.tasks_per_socket;
        raise(entry, count);
    });
    read(request.tres_per_task, [&](GresEntry& entry, std::uint64_t count) {
        entry.per_task = count;
        raise(entry, count * size.tasks.value_or(1));
    });
    read(request.memory_per_tres, [](GresEntry& entry, std::uint64_t count) { entry.memory = count; });
    apply_tasks_per_gpu(size);
    settle(size);
    merge_any_model();
    if (release.follows(limits::rules::counts_cpus_per_gres) && cpus() != 0)
        size.cpus = std::max(size.cpus.value_or(1), cpus());
}

/// Tasks that nobody counted, where resources per task or tasks per resource need them.
void GresRequest::imply_tasks(JobSize& size) {
    const bool is_wanted = request_->tres_per_task || request_->tasks_per_tres;
    if (!is_wanted || size.tasks || !size.nodes || size.nodes != size.max_nodes) return;
    if (request_->tasks_per_tres)
        size.tasks = *size.nodes * *request_->tasks_per_tres;
    else if (request_->tasks_per_node)
        size.tasks = *size.nodes * *request_->tasks_per_node;
    else if (!request_->cpus_per_task)
        size.tasks = *size.nodes;
}

template <typename Apply>
void GresRequest::read(const std::optional<std::string>& text, Apply apply) {
    if (!text) return;
    for_each_tres_item(*text, [&](const TresItem& item) {
        if (!item.name.empty()) apply(entry_for(item), item.count);
    });
}

GresEntry& GresRequest::entry_for(const TresItem& item) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const GresEntry& entry) { return entry.item.is_same_tres(item); });
    if (found != entries_.end()) return *found;
    entries_.push_back({.item = item});
    return entries_.back();
}

/// --ntasks-per-gpu: tasks follow from GPUs, or GPUs from tasks.
void GresRequest::apply_tasks_per_gpu(JobSize& size) {
    if (!request_->tasks_per_tres) return;
    std::uint64_t gpus = 0;
    for (const GresEntry& entry : entries_)
        if (is_gpu(entry)) gpus += entry.total;
    if (gpus != 0) {
        size.tasks = gpus * *request_->tasks_per_tres;
    } else if (size.tasks.value_or(0) != 0) {
        GresEntry& gpu = entry_for({.type = model::TresKind::gres, .name = "gpu", .kind = ""});
        gpu.per_job = *size.tasks / *request_->tasks_per_tres;
        gpu.total = std::max(gpu.total, gpu.per_job);
    }
}

/// Counts that one way to ask settles for the others.
void GresRequest::settle(JobSize& size) {
    for (GresEntry& entry : entries_) {
        if (entry.per_job != 0 && entry.per_node != 0)
            size.nodes = size.max_nodes = entry.per_job / entry.per_node;
        if (entry.per_task != 0) {
            if (entry.per_job != 0 && !size.tasks) size.tasks = entry.per_job / entry.per_task;
            if (size.tasks) entry.per_job = *size.tasks * entry.per_task;
        }
        if (entry.per_job != 0 && size.max_nodes) size.max_nodes = std::min(*size.max_nodes, entry.per_job);
    }
}

/// Next to models of the same resource an entry without model only brings its CPUs and memory along.
void GresRequest::merge_any_model() {
    for (auto any = entries_.begin(); any != entries_.end();) {
        bool has_model = false;
        for (GresEntry& entry : entries_) {
            if (!any->item.kind.empty() || entry.item.kind.empty() || !entry.item.is_same_resource(any->item))
                continue;
            has_model = true;
            if (entry.memory == 0) entry.memory = any->memory;
            if (entry.cpus == 0) entry.cpus = any->cpus;
        }
        any = has_model ? entries_.erase(any) : any + 1;
    }
}

void GresRequest::add_counts(const model::TresCatalogue& catalogue, model::TresCounts& counts) const {
    for (const GresEntry& entry : entries_) {
        const auto any = find_untyped_tres(catalogue, entry.item);
        if (any) counts[*any] += entry.total;
        if (!entry.item.kind.empty()) {
            if (const auto model = find_tres(catalogue, entry.item)) counts[*model] = entry.total;
        } else if (!any) {
            if (const auto model = find_any_model(catalogue, entry.item)) counts[*model] = entry.total;
        }
    }
}

std::optional<std::uint64_t> GresRequest::sum_memory(std::uint64_t nodes) const {
    GresEntry sum;
    for (const GresEntry& entry : entries_) {
        if (entry.memory == 0) continue;
        sum.memory = std::max(sum.memory, entry.memory);
        sum.per_job += entry.per_job;
        sum.per_node += entry.per_node;
        sum.per_socket += entry.per_socket;
        sum.per_task += entry.per_task;
    }
    if (sum.memory == 0) return std::nullopt;
    if (sum.per_job != 0) return sum.memory * sum.per_job;
    if (sum.per_node != 0) return sum.memory * sum.per_node * nodes;
    if (sum.per_socket != 0)
        return sum.memory * sum.per_socket * nodes * request_->sockets_per_node.value_or(1);
    return sum.memory * sum.per_task * tasks_.value_or(1);
}

} // namespace qg::gate
