// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/request_options.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/units.hpp"

#include <array>
#include <vector>

namespace qg::gate {
namespace {

using model::JobRequest;

std::string_view text_of(const std::optional<std::string>& text) {
    return text ? std::string_view(*text) : std::string_view();
}

/// "gres:gpu:a100:2" as an option's value: "gpu:a100:2".
std::string option_value(const std::optional<std::string>& text) {
    std::string value;
    for (const TresItem& item : parse_tres_request(text_of(text))) {
        if (!value.empty()) value += ',';
        if (!item.name.empty())
            value += item.name;
        else
            value += item.type_name();
        if (!item.kind.empty()) value += text::format(":{}", item.kind);
        value += text::format(":{}", item.count);
    }
    return value;
}

/// Whether a TRES text names GPUs only; those have options of their own.
bool is_gpus_only(const std::optional<std::string>& text) {
    const auto items = parse_tres_request(text_of(text));
    for (const TresItem& item : items)
        if (item.name != "gpu") return false;
    return !items.empty();
}

struct TextOption {
    std::optional<std::string> JobRequest::*field;
    std::string_view option;
};

// --gres and --gpus-per-node fill the same field; --gres says both.
constexpr std::array tres_options{
    TextOption{&JobRequest::tres_per_job, "--gpus"},
    TextOption{&JobRequest::tres_per_node, "--gres"},
    TextOption{&JobRequest::tres_per_socket, "--gpus-per-socket"},
    TextOption{&JobRequest::tres_per_task, "--gpus-per-task"},
};

/// "--gpus=2": the options for GPUs take a bare count, or "a100:2".
std::string format_tres_option(const TextOption& option, const std::optional<std::string>& text) {
    std::string value = option_value(text);
    constexpr std::string_view gpu = "gpu:";
    if (option.option != "--gres" && is_gpus_only(text) && value.starts_with(gpu))
        value = value.substr(gpu.size());
    return text::format("{}={}", option.option, value);
}

struct NumberOption {
    std::optional<std::uint32_t> JobRequest::*field;
    std::string_view option;
};
constexpr std::array number_options{
    NumberOption{&JobRequest::tasks, "--ntasks"},
    NumberOption{&JobRequest::cpus_per_task, "--cpus-per-task"},
    NumberOption{&JobRequest::min_nodes, "--nodes"},
};

std::string format_licenses(const std::optional<std::string>& text) {
    std::string value;
    for (const TresItem& item : parse_licenses(text_of(text)))
        value += text::format("{}{}:{}", value.empty() ? "" : ",", item.name, item.count);
    return "--licenses=" + value;
}

} // namespace

std::string format_tres_request(std::span<const TresItem> items) {
    std::string text;
    for (const TresItem& item : items) {
        if (!text.empty()) text += ',';
        text += item.type_name();
        if (!item.name.empty()) text += text::format(":{}", item.name);
        if (!item.kind.empty()) text += text::format(":{}", item.kind);
        text += text::format(":{}", item.count);
    }
    return text;
}

std::string format_changed_options(const JobRequest& before, const JobRequest& after) {
    std::vector<std::string> options;
    for (const NumberOption& option : number_options)
        if (before.*option.field != after.*option.field && after.*option.field)
            options.push_back(text::format("{}={}", option.option, *(after.*option.field)));
    for (const TextOption& option : tres_options) {
        if (before.*option.field == after.*option.field) continue;
        options.push_back(after.*option.field ? format_tres_option(option, after.*option.field)
                                              : text::format("no {}", option.option));
    }
    if (before.licenses != after.licenses)
        options.push_back(after.licenses ? format_licenses(after.licenses) : "no --licenses");
    if (before.memory != after.memory && after.memory)
        options.push_back(text::format("{}={}", after.memory->per_cpu ? "--mem-per-cpu" : "--mem",
                                       units::format_mib(after.memory->mib)));
    if (before.time_limit != after.time_limit && after.time_limit)
        options.push_back("--time=" + units::format_minutes(*after.time_limit));
    if (before.array != after.array && after.array) options.push_back("--array=" + *after.array);
    return text::join(options, " ");
}

} // namespace qg::gate
