// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/size/gres_request.hpp"

#include "qosgate/base/saturate.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>

namespace qg::gate {
namespace {

using limits::Release;

bool is_gpu(const GresEntry& entry) {
    return entry.item.name == "gpu";
}

/// The ways to ask for gres.
constexpr std::array gres_lists{&model::JobRequest::tres_per_job, &model::JobRequest::tres_per_node,
                                &model::JobRequest::tres_per_socket, &model::JobRequest::tres_per_task};

/// The first gres that a list names twice.
[[gnu::noinline]] std::optional<std::string> find_repeated(const std::string& list) {
    std::vector<model::TresItem> seen;
    std::optional<std::string> repeated;
    model::for_each_tres_item(list, [&](const model::TresItem& item) {
        const auto is_same = [&item](const model::TresItem& other) { return other.is_same_tres(item); };
        if (!repeated && !item.name.empty() && std::ranges::any_of(seen, is_same))
            repeated =
                item.kind.empty() ? std::string(item.name) : text::format("{}:{}", item.name, item.kind);
        seen.push_back(item);
    });
    return repeated;
}

} // namespace

bool asks_for_gres(const model::JobRequest& request) {
    bool asks = false;
    for (const auto list : gres_lists)
        model::for_each_gres_item(request.*list, [&asks](const model::TresItem& /*item*/) { asks = true; });
    return asks;
}

bool names_gpus(const model::JobRequest& request) {
    bool names = false;
    for (const auto list : gres_lists)
        model::for_each_gres_item(
            request.*list, [&names](const model::TresItem& item) { names = names || item.name == "gpu"; });
    return names;
}

std::optional<std::string> find_repeated_gres(const model::JobRequest& request) {
    for (const auto list : gres_lists)
        if (request.*list) [[unlikely]]
            if (auto repeated = find_repeated(*(request.*list))) return repeated;
    return std::nullopt;
}

GresRequest::GresRequest(const model::JobRequest& request) noexcept
    : request_(&request), asks_(request.tres_per_job || request.tres_per_node || request.tres_per_socket ||
                                request.tres_per_task || request.tasks_per_tres || request.cpus_per_tres ||
                                request.memory_per_tres),
      cpus_of_task_(request.cpus_of_task()) {}

void GresRequest::read_all(Release release) {
    const model::JobRequest& request = *request_;
    derive_tasks();
    const std::uint64_t nodes = size_.nodes.value_or(1);
    const auto raise = [](GresEntry& entry, std::uint64_t count) {
        entry.total = std::max(entry.total, count);
    };
    read_text(request.cpus_per_tres, [](GresEntry& entry, std::uint64_t count) { entry.cpus = count; });
    read_text(request.tres_per_job, [&](GresEntry& entry, std::uint64_t count) {
        entry.per_job = count;
        raise(entry, count);
    });
    read_text(request.tres_per_node, [&](GresEntry& entry, std::uint64_t count) {
        entry.per_node = count;
        raise(entry, saturated_product(count, nodes));
    });
    read_text(request.tres_per_socket, [&](GresEntry& entry, std::uint64_t count) {
        entry.per_socket = count;
        if (request.sockets_per_node)
            count = saturated_product(count, saturated_product(nodes, *request.sockets_per_node));
        else if (size_.tasks && request.tasks_per_socket.value_or(0) != 0)
            count *= divide_up(*size_.tasks, *request.tasks_per_socket);
        raise(entry, count);
    });
    read_text(request.tres_per_task, [&](GresEntry& entry, std::uint64_t count) {
        entry.per_task = count;
        raise(entry, saturated_product(count, size_.tasks.value_or(1)));
    });
    read_text(request.memory_per_tres, [](GresEntry& entry, std::uint64_t count) { entry.memory = count; });
    apply_tasks_per_gpu();
    reconcile_counts();
    if (!request.has_default_cpus_per_gpu) set_cpus_of_task();
    merge_any_model();
    if (request.has_default_cpus_per_gpu) set_cpus_of_task();
    if (request.tres_per_task) tasks_of_cpus_ = cpus() / cpus_of_task_;
    add_gpus_of_tasks();
    if (request.cpus_per_tres) most_cpus_ = cpus_of_all_models();
    if (release.follows(limits::rules::counts_cpus_of_last_model) && !request.has_default_cpus_per_gpu)
        forget_cpus_of_earlier_models();
    if (release.follows(limits::rules::counts_cpus_per_gres) && cpus() != 0)
        size_.cpus = std::max(size_.cpus.value_or(1), cpus());
}

/// Derives a missing number of tasks if gres per task, or tasks per gres, need it.
void GresRequest::derive_tasks() {
    const bool is_wanted = request_->tres_per_task || request_->tasks_per_tres;
    if (!is_wanted || size_.tasks || !size_.nodes || size_.nodes != size_.max_nodes) return;
    if (request_->tasks_per_tres)
        size_.tasks = *size_.nodes * *request_->tasks_per_tres;
    else if (request_->tasks_per_node)
        size_.tasks = *size_.nodes * *request_->tasks_per_node;
    else if (!request_->cpus_per_task)
        size_.tasks = *size_.nodes;
}

template <typename Apply>
void GresRequest::read_text(const std::optional<std::string>& text, Apply apply) {
    if (!text) return;
    model::for_each_tres_item(*text, [&](const model::TresItem& item) {
        if (!item.name.empty()) apply(entry_for(item), item.count);
    });
}

GresEntry& GresRequest::entry_for(const model::TresItem& item) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const GresEntry& entry) { return entry.item.is_same_tres(item); });
    if (found != entries_.end()) return *found;
    entries_.push_back({.item = item});
    return entries_.back();
}

/// --ntasks-per-gpu: derives the tasks from the GPUs, or the GPUs from the tasks.
void GresRequest::apply_tasks_per_gpu() {
    if (!request_->tasks_per_tres) return;
    std::uint64_t gpus = 0;
    for (const GresEntry& entry : entries_)
        if (is_gpu(entry)) gpus += entry.total;
    if (gpus != 0) {
        size_.tasks = gpus * *request_->tasks_per_tres;
    } else if (size_.tasks.value_or(0) != 0) {
        GresEntry& gpu = entry_for({.type = model::TresKind::gres, .name = "gpu", .kind = ""});
        gpu.per_job = *size_.tasks / *request_->tasks_per_tres;
        gpu.total = std::max(gpu.total, gpu.per_job);
    }
}

/// A change that sets tasks per GPU beside GPUs may leave GPUs of any model for tasks that it sets, too. No
/// command sends it. [L22]
void GresRequest::add_gpus_of_tasks() {
    if (!request_->has_counted_cpus || request_->tasks_per_tres.value_or(0) == 0) return;
    std::uint64_t gpus = 0;
    for (const GresEntry& entry : entries_)
        if (is_gpu(entry)) gpus += entry.total;
    const std::uint64_t of_tasks = request_->tasks.value_or(0) / *request_->tasks_per_tres;
    if (of_tasks <= gpus) return;
    entries_.push_back({.item = {.type = model::TresKind::gres, .name = "gpu", .kind = ""}});
    entries_.back().per_job = entries_.back().total = of_tasks - gpus;
}

/// Derives counts of one way to ask from the others.
void GresRequest::reconcile_counts() {
    for (GresEntry& entry : entries_) {
        if (entry.per_job != 0 && entry.per_node != 0)
            size_.nodes = size_.max_nodes = entry.per_job / entry.per_node;
        if (entry.per_task != 0) {
            if (entry.per_job != 0 && !size_.tasks) size_.tasks = entry.per_job / entry.per_task;
            if (size_.tasks) entry.per_job = *size_.tasks * entry.per_task;
        }
        if (entry.per_job != 0 && size_.max_nodes)
            size_.max_nodes = std::min(*size_.max_nodes, entry.per_job);
    }
}

/// slurmctld takes the CPUs of a task from CPUs for each GPU only where one entry has both, or where they are
/// a default: `--gpus-per-task=a100:1 --cpus-per-gpu=4` leaves one CPU for a task. It looks for the most of
/// one model, and not for the sum. [L22]
void GresRequest::set_cpus_of_task() {
    for (const GresEntry& entry : entries_)
        cpus_of_task_ = std::max(cpus_of_task_, saturated_product(entry.cpus, entry.per_task));
}

/// An entry without a model, if others of the same gres have one, only gives them its CPUs and memory.
/// slurmctld refuses a new job with counts of both, but takes such a change, and gives as many as it names
/// without a model. [L22]
void GresRequest::merge_any_model() {
    for (auto any = entries_.begin(); any != entries_.end();) {
        bool has_model = false;
        std::uint64_t of_models = 0;
        for (GresEntry& entry : entries_) {
            if (!any->item.kind.empty() || entry.item.kind.empty() || !entry.item.is_same_resource(any->item))
                continue;
            has_model = true;
            of_models = saturated_sum(of_models, entry.total);
            if (entry.memory == 0) entry.memory = any->memory;
            if (entry.cpus == 0) entry.cpus = any->cpus;
        }
        const bool names_more = has_model && request_->has_counted_cpus && any->total > of_models;
        if (names_more) any->per_job = any->total -= of_models;
        any = has_model && !names_more ? entries_.erase(any) : any + 1;
    }
}

std::uint64_t GresRequest::cpus_of_all_models() const {
    std::uint64_t sum = 0;
    for (const GresEntry& entry : entries_) {
        if (entry.total == 0) continue;
        std::uint64_t cpus = 0;
        for (const GresEntry& model : entries_)
            if (model.item.is_same_resource(entry.item)) cpus = std::max(cpus, model.cpus);
        sum = saturated_sum(sum, saturated_product(cpus, entry.total));
    }
    return sum;
}

/// Of several models of one gres only the last certainly brings CPUs along.
void GresRequest::forget_cpus_of_earlier_models() {
    for (std::size_t later = 1; later < entries_.size(); ++later)
        for (std::size_t earlier = 0; earlier < later; ++earlier)
            if (entries_[earlier].item.is_same_resource(entries_[later].item)) entries_[earlier].cpus = 0;
}

void GresRequest::add_counts(const model::TresCatalogue& catalogue, model::TresCounts& counts) const {
    for (const GresEntry& entry : entries_) {
        const auto any = find_untyped_tres(catalogue, entry.item);
        if (any) counts[*any] = saturated_sum(counts[*any], entry.total);
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
    return sum.memory * sum.per_task * size_.tasks.value_or(1);
}

std::uint64_t gpus_of_each_node(const model::JobRequest& request, Release release) {
    const GresRequest gres(request, {.nodes = 1, .max_nodes = {}, .tasks = {}, .cpus = {}}, release);
    std::uint64_t gpus = 0;
    for (const GresEntry& entry : gres.entries()) {
        if (!is_gpu(entry)) continue;
        if (entry.per_job != 0 || entry.per_task != 0) return 0;
        gpus += entry.total;
    }
    return gpus;
}

} // namespace qg::gate
