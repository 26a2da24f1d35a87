// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank_options.hpp"

#include "slurm_text.hpp"

#include <cstddef>
#include <utility>

// Exported by the library that the clients use, declared in no public header; the same in all releases.
extern "C" {
std::size_t spank_get_plugin_names(char*** names);
std::size_t spank_get_plugin_option_names(const char* plugin, char*** names);
}

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
    std::vector<SpankPlugin> all;
    char** plugins = nullptr;
    const std::size_t count = spank_get_plugin_names(&plugins);
    for (std::string& plugin : take_list(plugins, count)) {
        char** options = nullptr;
        const std::size_t option_count = spank_get_plugin_option_names(plugin.c_str(), &options);
        auto names = take_list(options, option_count);
        all.push_back({std::move(plugin), std::move(names)});
    }
    return all;
}

} // namespace qg::plugin
