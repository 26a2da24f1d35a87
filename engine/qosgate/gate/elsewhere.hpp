// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where else a job would be taken unchanged: under another QOS or account of its user, or in another
// partition.
#pragma once

#include "qosgate/gate/nearest.hpp"

namespace qg::gate {

/// The request with another QOS, partition or account, accepted and held back by no limit and no rule of a
/// partition for good. Nothing if none was found, or if the names that it asks for are what is wrong with it.
/// Partitions that are not for everybody are never named.
/// Cost: looks ahead a few dozen times at most; only for jobs that something is wrong with.
/// Threads: those of the provider.
std::optional<model::JobRequest> find_elsewhere(const Outlook& outlook, const Case& at,
                                                limits::Strictness strictness);

} // namespace qg::gate
