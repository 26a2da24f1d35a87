// SPDX-License-Identifier: GPL-2.0-or-later
//
// Changes the resources of a request: memory, gres, licenses, array tasks. Each function returns whether it
// could; if not, the request is unchanged.
#pragma once

#include "qosgate/gate/predict/fit_size.hpp"
#include "qosgate/model/job_request.hpp"

#include <cstdint>
#include <string_view>

namespace qg::gate {

/// Memory on all nodes together, in MiB. `nodes` is the number of the job's nodes.
bool fit_memory(model::JobRequest& request, Amount mib, std::uint64_t nodes);

/// A gres, by its name in the TRES catalogue ("gres/gpu:a100").
bool fit_gres(model::JobRequest& request, std::string_view tres, Amount count, std::uint64_t nodes);

/// A license by its name in the TRES catalogue.
bool fit_licenses(model::JobRequest& request, std::string_view tres, std::uint64_t max);

/// Keeps the first tasks of the array, at most `most`.
bool fit_array(model::JobRequest& request, std::uint64_t max);

} // namespace qg::gate
