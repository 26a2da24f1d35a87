// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page of `qosgate exporter` for people.
#pragma once

#include "cluster_state.hpp"
#include "common/gate_report.hpp"

#include "qosgate/base/result.hpp"

#include <chrono>
#include <ctime>
#include <string>

namespace qg::cli {

struct PageOptions {
    bool names_users = false; ///< unless PrivateData hides them
    std::chrono::seconds refresh{30};
    bool expects_plugin = true; ///< JobSubmitPlugins in slurm.conf names it
};

/// QOSs and accounts on the page; those with the largest shares come first.
inline constexpr std::size_t max_page_owners = 200;

/// Makes the page as HTML. `state` is null while the cluster cannot be read; `why` then says why. Threads:
/// pure.
std::string make_page(const ClusterState* state, std::string_view why, const Result<GateReport>* gate,
                      const PageOptions& options, std::time_t now);

} // namespace qg::cli
