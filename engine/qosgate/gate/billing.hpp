// SPDX-License-Identifier: GPL-2.0-or-later
//
// The billing TRES of a job by a partition's TRESBillingWeights (limits.md 3.2).
#pragma once

#include "qosgate/model/tres.hpp"

#include <string_view>

namespace qg::gate {

/// Sum of weight x count over the TRES named in `weights` ("CPU=1.5,Mem=0.25G,GRES/gpu=2"), cut to a whole
/// number. A memory weight counts per MiB unless it has a suffix ("0.25G": per GiB). Without weights: the
/// CPUs. Weights that cannot be read count as none.
std::uint64_t billing_of(const model::TresCounts& counts, const model::TresCatalogue& catalogue,
                         std::string_view weights);

} // namespace qg::gate
