// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/answer/request_options.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/units.hpp"
#include "qosgate/gate/answer/submit_line.hpp"
#include "qosgate/model/job_field.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <vector>

namespace qg::gate {
namespace {

using model::JobRequest;

std::string_view option_of(model::TextMember field) {
    return model::find_field_of(field)->option.text;
}

using Items = std::vector<model::TresItem>;

constexpr std::string_view gres_option = "--gres";
constexpr std::string_view gpus_option = "--gpus-per-node";

std::string_view text_of(const std::optional<std::string>& text) {
    return text ? std::string_view(*text) : std::string_view();
}

Items items_of(const std::optional<std::string>& text) {
    return model::parse_tres_request(text_of(text));
}

bool is_gpu(const model::TresItem& item) {
    return item.type == model::TresKind::gres && item.name == "gpu";
}

bool is_gres(const model::TresItem& item) {
    return item.type == model::TresKind::gres;
}

/// "--gres=gpu:a100:2,tmpfs:1"
std::string format_gres(std::span<const model::TresItem> items) {
    std::vector<std::string> parts;
    for (const model::TresItem& item : items)
        parts.push_back(item.kind.empty() ? text::format("{}:{}", item.name, item.count)
                                          : text::format("{}:{}:{}", item.name, item.kind, item.count));
    return text::format("{}={}", gres_option, parts.empty() ? "none" : text::join(parts, ","));
}

/// "--gpus=2", "--gpus=a100:2"; 0 cancels an earlier option.
std::string format_gpus(std::string_view option, std::span<const model::TresItem> items) {
    std::vector<std::string> parts;
    for (const model::TresItem& item : items)
        parts.push_back(item.kind.empty() ? std::to_string(item.count)
                                          : text::format("{}:{}", item.kind, item.count));
    return text::format("{}={}", option, parts.empty() ? "0" : text::join(parts, ","));
}

/// The fields that options change, and those that the clients derive from options.
constexpr std::tuple changeable{
    &JobRequest::account,         &JobRequest::partition,       &JobRequest::qos,
    &JobRequest::licenses,        &JobRequest::array,           &JobRequest::tres_per_job,
    &JobRequest::tres_per_node,   &JobRequest::tres_per_socket, &JobRequest::tres_per_task,
    &JobRequest::memory_per_tres, &JobRequest::cpus_per_tres,   &JobRequest::time_limit,
    &JobRequest::time_min,        &JobRequest::min_nodes,       &JobRequest::max_nodes,
    &JobRequest::tasks,           &JobRequest::min_cpus,        &JobRequest::cpus_per_task,
    &JobRequest::tasks_per_node,  &JobRequest::memory,          &JobRequest::min_cpus_per_node};

/// Writes the options that change a request.
class OptionWriter {
  public:
    OptionWriter(const JobRequest& before, const JobRequest& after) : before_(before), after_(after) {}

    /// Empty if some change cannot be expressed.
    std::optional<std::string> write() {
        write_names();
        write_size();
        write_gres();
        write_amounts();
        if (!can_say_all_ || options_.empty()) return std::nullopt;
        return text::join(options_, " ");
    }

  private:
    template <typename Value>
    bool differs(std::optional<Value> JobRequest::*field) {
        if (before_.*field == after_.*field) return false;
        // Most options cannot be cancelled by a later one.
        if (!(after_.*field)) can_say_all_ = false;
        return (after_.*field).has_value();
    }

    void add(std::string option) { options_.push_back(std::move(option)); }

    template <typename Value>
    void add(std::string_view option, const Value& value) {
        options_.push_back(text::format("{}={}", option, value));
    }

    void write_names() {
        for (const auto field : {&JobRequest::account, &JobRequest::partition, &JobRequest::qos})
            if (differs(field)) add(option_of(field), *(after_.*field));
    }

    /// Whether more tasks may raise --nodes again: the clients reduce its maximum to the number of tasks.
    bool may_have_cut_nodes() const {
        return before_.min_nodes && before_.max_nodes && before_.tasks && after_.tasks > before_.tasks &&
               *before_.max_nodes >= *before_.tasks;
    }

    void write_size() {
        const bool has_nodes = before_.min_nodes != after_.min_nodes ||
                               before_.max_nodes != after_.max_nodes || may_have_cut_nodes();
        const bool has_per_node = differs(&JobRequest::tasks_per_node);
        // It is not known whether the user named the tasks or the client computed them.
        const bool may_multiply = before_.tasks_per_node || before_.sockets_per_node;
        const bool restates_tasks = (has_nodes || has_per_node) && may_multiply && after_.tasks;
        if (differs(&JobRequest::tasks) || restates_tasks) add("--ntasks", *after_.tasks);
        if (has_per_node) add("--ntasks-per-node", *after_.tasks_per_node);
        if (differs(&JobRequest::cpus_per_task)) add("--cpus-per-task", *after_.cpus_per_task);
        if (!has_nodes) return;
        if (!after_.min_nodes) {
            can_say_all_ = false;
            return;
        }
        const std::uint32_t min = *after_.min_nodes;
        const std::uint32_t max = after_.max_nodes.value_or(min);
        add("--nodes", max == min ? std::to_string(min) : text::format("{}-{}", min, max));
    }

    void write_gres() {
        write_tres_per_node();
        for (const auto field : {&JobRequest::tres_per_job, &JobRequest::tres_per_socket,
                                 &JobRequest::tres_per_task, &JobRequest::cpus_per_tres}) {
            if (before_.*field == after_.*field) continue;
            const Items items = items_of(after_.*field);
            can_say_all_ = can_say_all_ && std::ranges::all_of(items_of(before_.*field), is_gpu) &&
                           std::ranges::all_of(items, is_gpu);
            add(format_gpus(option_of(field), items));
        }
    }

    /// --gres and --gpus-per-node both fill this field.
    void write_tres_per_node() {
        if (before_.tres_per_node == after_.tres_per_node) return;
        const Items were = items_of(before_.tres_per_node);
        const Items items = items_of(after_.tres_per_node);
        can_say_all_ =
            can_say_all_ && std::ranges::all_of(were, is_gres) && std::ranges::all_of(items, is_gres);
        const std::string_view only = only_option(were);
        if (only == gres_option) return add(format_gres(items));
        if (only == gpus_option) return add(format_gpus(gpus_option, items));
        // It is not known which option the user gave; adding both works in any case.
        Items gpus, others;
        std::ranges::partition_copy(items, std::back_inserter(gpus), std::back_inserter(others), is_gpu);
        add(format_gpus(gpus_option, gpus));
        add(format_gres(others));
    }

    /// The one option that all of the items come from; empty if not known.
    std::string_view only_option(const Items& items) const {
        if (std::ranges::none_of(items, is_gpu)) return gres_option;
        const auto of_gres = find_option(before_.submit_line, gres_option);
        const auto of_gpus = find_option(before_.submit_line, gpus_option);
        if (of_gres.has_value() == of_gpus.has_value()) return {};
        const std::string_view value = of_gres ? *of_gres : *of_gpus;
        const auto commas = static_cast<std::size_t>(std::ranges::count(value, ','));
        if (commas + 1 != items.size()) return {};
        return of_gres ? gres_option : gpus_option;
    }

    void write_amounts() {
        if (differs(&JobRequest::licenses)) add("--licenses", *after_.licenses);
        if (differs(&JobRequest::memory))
            add(after_.memory->per_cpu ? "--mem-per-cpu" : "--mem", units::format_mib(after_.memory->mib));
        if (differs(&JobRequest::memory_per_tres)) {
            const Items items = items_of(after_.memory_per_tres);
            if (items.size() == 1)
                add("--mem-per-gpu", units::format_mib(items.front().count));
            else
                can_say_all_ = false;
        }
        if (differs(&JobRequest::time_limit)) add("--time", units::format_minutes(*after_.time_limit));
        if (differs(&JobRequest::time_min)) add("--time-min", units::format_minutes(*after_.time_min));
        if (differs(&JobRequest::array)) add("--array", *after_.array);
    }

    const JobRequest& before_;
    const JobRequest& after_;
    std::vector<std::string> options_;
    bool can_say_all_ = true;
};

} // namespace

std::string format_tres_request(std::span<const model::TresItem> items) {
    std::string text;
    for (const model::TresItem& item : items) {
        if (!text.empty()) text += ',';
        text += item.type_name();
        if (!item.name.empty()) text += text::format(":{}", item.name);
        if (!item.kind.empty()) text += text::format(":{}", item.kind);
        text += text::format(":{}", item.count);
    }
    return text;
}

std::string format_licenses(std::span<const model::TresItem> items) {
    std::string text;
    for (const model::TresItem& item : items)
        text += text::format("{}{}:{}", text.empty() ? "" : ",", item.name, item.count);
    return text;
}

JobRequest apply_changes(JobRequest request, const JobRequest& before, const JobRequest& after) {
    const auto apply = [&](auto member) {
        if (before.*member != after.*member) request.*member = after.*member;
    };
    std::apply([&](auto... members) { (apply(members), ...); }, changeable);
    return request;
}

bool keeps_changes(const JobRequest& request, const JobRequest& before, const JobRequest& after) {
    const auto keeps = [&](auto member) {
        return before.*member == after.*member || request.*member == after.*member;
    };
    return std::apply([&](auto... members) { return (keeps(members) && ...); }, changeable);
}

std::optional<std::string> format_changed_options(const JobRequest& before, const JobRequest& after) {
    return OptionWriter(before, after).write();
}

} // namespace qg::gate
