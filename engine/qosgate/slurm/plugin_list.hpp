// SPDX-License-Identifier: GPL-2.0-or-later
//
// The lists of plugins in slurm.conf: JobSubmitPlugins, CliFilterPlugins.
#pragma once

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace qg::slurm {

/// The names in JobSubmitPlugins, in the order in which slurmctld calls them, as views into `list`. A name
/// may be written with its type, "job_submit/lua": that is the same as "lua".
inline std::vector<std::string_view> job_submit_plugin_names(std::string_view list) {
    auto names = text::split(list, ',');
    constexpr std::string_view prefix = "job_submit/";
    for (std::string_view& name : names) {
        name = text::trim(name);
        if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    }
    return names;
}

/// Whether slurmctld loads this project's plugin for them.
inline bool loads_qosgate(std::string_view job_submit_plugins) {
    const auto names = job_submit_plugin_names(job_submit_plugins);
    return std::ranges::find(names, "qosgate") != names.end();
}

} // namespace qg::slurm
