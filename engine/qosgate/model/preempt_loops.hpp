// SPDX-License-Identifier: GPL-2.0-or-later
//
// find_new_loops: QOSs that may preempt each other in a circle, which slurmdbd refuses.
#pragma once

#include "qosgate/model/qos_record.hpp"

#include <map>
#include <string>
#include <vector>

namespace qg::model {

/// Which QOSs each QOS may preempt.
using PreemptMap = std::map<std::string, NameSet>;

/// Loops of `after` with a step that `before` does not have, one for each group of QOSs that can all reach
/// each other: {"a", "b"} is a > b > a; its first name is the smallest. Cost: linear in the steps.
std::vector<std::vector<std::string>> find_new_loops(const PreemptMap& before, const PreemptMap& after);

} // namespace qg::model
