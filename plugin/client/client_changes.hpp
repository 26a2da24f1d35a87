// SPDX-License-Identifier: GPL-2.0-or-later
//
// client_changes: what rules made of a job, said in options of its client.
#pragma once

#include "client/client_job.hpp"
#include "client/client_options.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/policy/client_host.hpp"

#include <vector>

namespace qg::plugin {

/// The options that make `after` of a client's job `before`; they are tried, so the options given here have
/// them afterwards. Empty: there are none.
std::vector<policy::OptionChange> find_changes(ClientOptions& options, const ClientCommand& command,
                                               const model::JobRequest& before,
                                               const model::JobRequest& after);

} // namespace qg::plugin
