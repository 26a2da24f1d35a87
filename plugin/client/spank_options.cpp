// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/spank_options.hpp"

#include "host/slurm_text.hpp"
#include "qosgate/slurm/host_symbols.hpp"

#include <cstddef>
#include <utility>

namespace qg::plugin {
namespace {

/// The texts of a list of Slurm's, which is freed.
std::vector<std::string> take_list(char** list, std::size_t count) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count && list != nullptr; ++i)
        if (const SlurmText text(list[i]); text != nullptr) texts.emplace_back(text.get());
    void* block = list;
    slurm_xfree(&block);
    return texts;
}

} // namespace

std::vector<SpankPlugin> spank_options() {
    auto* const list_plugins = slurm::host::spank_plugin_names.find();
    auto* const list_options = slurm::host::spank_option_names.find();
    std::vector<SpankPlugin> all;
    if (list_plugins == nullptr || list_options == nullptr) return all;
    char** plugins = nullptr;
    const std::size_t count = list_plugins(&plugins);
    for (std::string& plugin : take_list(plugins, count)) {
        char** options = nullptr;
        const std::size_t option_count = list_options(plugin.c_str(), &options);
        auto names = take_list(options, option_count);
        all.push_back({std::move(plugin), std::move(names)});
    }
    return all;
}

std::optional<std::string> spank_value(std::string option) {
    auto* const read = slurm::host::spank_option_get.find();
    const char* const value = read == nullptr ? nullptr : read(option.data()); // the plugin's own text
    if (value == nullptr) return std::nullopt;
    return value;
}

} // namespace qg::plugin
