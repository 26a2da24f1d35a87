// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a job asks for and no verdict depends on.
#pragma once

#include "qosgate/gate/decide/resolve.hpp"

#include <string>
#include <vector>

namespace qg::gate {

/// What slurmctld looks at for this job and nothing here does, in the words of options: "--switches". Empty:
/// the job asks for nothing of that. Cost: one look at each row of a table.
std::vector<std::string> list_not_looked_at(const ResolvedRequest& asked);

} // namespace qg::gate
