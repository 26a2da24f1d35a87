// SPDX-License-Identifier: GPL-2.0-or-later
//
// The billing TRES of a job by a partition's TRESBillingWeights (limits/README.md 6.2).
#pragma once

#include "qosgate/model/cluster.hpp"
#include "qosgate/model/tres.hpp"

#include <string_view>

namespace qg::gate {

/// The sum (or maximum, as `billing` says) of weight x count over the TRES in `weights`
/// ("CPU=1.5,Mem=0.25G,GRES/gpu=2"), rounded down. A memory weight is per MiB unless it has a suffix
/// ("0.25G": per GiB). Without weights: the CPUs. Unreadable weights count as 0.
std::uint64_t billing_of(const model::TresCounts& counts, const model::TresCatalogue& catalogue,
                         std::string_view weights, model::Billing billing);

} // namespace qg::gate
