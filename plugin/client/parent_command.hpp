// SPDX-License-Identifier: GPL-2.0-or-later
//
// What this plugin and `qosgate check` or `qosgate policy try` tell each other, if one of these has started
// the client: by functions of the module that it has loaded into the client
// (contrib/qosgate/common/client_module.cpp).
#pragma once

#include "client/client_answer.hpp"

#include <slurm/slurm.h>

#include <filesystem>
#include <vector>

#include <sys/types.h>

namespace qg::plugin {

/// Whether such a command has started this client. It judges the job itself.
bool is_started_by_qosgate();

/// Where the rules and the script for clients are.
struct RulesPlace {
    std::filesystem::path directory; ///< empty: not known
    uid_t trusted_user = 0;          ///< who may own them, besides root
    bool is_tried = false;           ///< it is not the site's: such a command has named it
};

/// The directory that is tried, else the one beside slurm.conf. What rules and scripts do is done with the
/// rights of this user, who may be root: in a tried directory only root and this user may own them.
RulesPlace find_rules_place(const slurm_conf_t& conf);

/// Tells the command that the client refuses the job, and what it says. Nothing happens without a command.
/// Never fails: whether the client refuses the job does not depend on it.
void report_refusal(const std::vector<ClientLine>& lines) noexcept;

} // namespace qg::plugin
