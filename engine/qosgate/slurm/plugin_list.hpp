// SPDX-License-Identifier: GPL-2.0-or-later
//
// The lists of plugins in slurm.conf: JobSubmitPlugins, CliFilterPlugins.
#pragma once

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace qg::slurm {

/// The names in a list, in the order in which Slurm calls the plugins, as views into it. A name may be
/// written with its type, "job_submit/lua": that is the same as "lua".
inline std::vector<std::string_view> plugin_names(std::string_view list) {
    auto names = text::split(list, ',');
    for (std::string_view& name : names) {
        name = text::trim(name);
        for (const std::string_view prefix : {"job_submit/", "cli_filter/"})
            if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    }
    return names;
}

/// Whether Slurm loads this project's plugin for a list.
inline bool loads_qosgate(std::string_view plugins) {
    const auto names = plugin_names(plugins);
    return std::ranges::find(names, "qosgate") != names.end();
}

} // namespace qg::slurm
