// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank_options.hpp"

#include "slurm_text.hpp"

#include <cstddef>
#include <utility>

#include <dlfcn.h>

namespace qg::plugin {
namespace {

/// A function of the library that the clients use, which no public header declares; null in other processes.
template <typename Function>
Function* find_function(const char* name) noexcept {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

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
    auto* const list_plugins = find_function<std::size_t(char***)>("spank_get_plugin_names");
    auto* const list_options =
        find_function<std::size_t(const char*, char***)>("spank_get_plugin_option_names");
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
    auto* const read = find_function<char*(char*)>("spank_option_get");
    const char* const value = read == nullptr ? nullptr : read(option.data()); // the plugin's own text
    if (value == nullptr) return std::nullopt;
    return value;
}

} // namespace qg::plugin
