// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the cluster and its partitions have of each TRES, from slurmctld's public RPCs.
#pragma once

#include "qosgate/model/qos_record.hpp"
#include "qosgate/model/tres.hpp"
#include "qosgate/slurmdb/connection.hpp"

#include <map>
#include <string>

namespace qg::admin {

/// TRES counts by partition; "" is the cluster: all its nodes, and its licenses.
using Capacity = std::map<std::string, model::TresLimits>;

/// Empty if slurmctld does not answer. Names are those of `catalogue`; what it lacks is left out.
/// Threads: no other may open sockets meanwhile (slurmdb/deadline.hpp).
Capacity read_capacity(const slurmdb::Session& session, const model::TresCatalogue& catalogue);

} // namespace qg::admin
