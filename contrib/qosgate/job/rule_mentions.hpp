// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the rules of this cluster's slurmctld name a QOS: asked before it is deleted, because slurmctld
// refuses a job that a rule gives a QOS that does not exist.
#pragma once

#include "common/output.hpp"

#include "qosgate/model/qos_record.hpp"

#include <span>

namespace qg::cli {

/// Warns of each place in this host's directory of rules that has one of these names as a literal text;
/// another thing of the same name, such as a partition, may be meant. It also warns if the rules cannot be
/// read. Nothing is said where there are no rules. Tables below data/ and the candidate are not looked at.
void warn_of_rules(std::span<const model::QosRecord> deleted, Output& output);

} // namespace qg::cli
