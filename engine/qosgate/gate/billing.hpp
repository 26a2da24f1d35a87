// SPDX-License-Identifier: GPL-2.0-or-later
//
// The billing TRES of a job by a partition's TRESBillingWeights (limits/README.md 6.2).
#pragma once

#include "qosgate/model/cluster.hpp"
#include "qosgate/model/tres.hpp"

#include <string_view>

namespace qg::gate {

/// Weight x count of the TRES named in `weights` ("CPU=1.5,Mem=0.25G,GRES/gpu=2"), put together the way
/// `billing` says and cut to a whole number. A memory weight counts per MiB unless it has a suffix ("0.25G":
/// per GiB). Without weights: the CPUs. Weights that cannot be read count as none.
std::uint64_t billing_of(const model::TresCounts& counts, const model::TresCatalogue& catalogue,
                         std::string_view weights, model::Billing billing);

} // namespace qg::gate
