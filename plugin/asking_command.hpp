// SPDX-License-Identifier: GPL-2.0-or-later
//
// What this plugin and `qosgate check` or `qosgate policy try` tell each other, if one of these has started
// the client: by functions of the module that it has loaded into the client
// (contrib/qosgate/client_module.cpp).
#pragma once

#include "client_answer.hpp"

#include <filesystem>
#include <vector>

namespace qg::plugin {

/// Whether such a command has started this client. It judges the job itself.
bool is_asked_by_qosgate();

/// The directory of rules that is tried instead of the site's; empty: the site's counts.
std::filesystem::path tried_rules();

/// Tells the command that the client refuses the job, and what it says. Nothing happens without a command.
/// Never fails: whether the client refuses the job does not depend on it.
void tell_refusal(const std::vector<ClientLine>& lines) noexcept;

} // namespace qg::plugin
