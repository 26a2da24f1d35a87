// SPDX-License-Identifier: GPL-2.0-or-later
//
// Changes what a request asks for beside its size: memory, generic resources, licenses, array tasks. Each
// function tells whether it could; where it could not, the request is as it was.
#pragma once

#include "qosgate/gate/fit_size.hpp"
#include "qosgate/model/job_request.hpp"

#include <cstdint>
#include <string_view>

namespace qg::gate {

/// Memory of all nodes in MiB. `nodes` are those of the job.
bool fit_memory(model::JobRequest& request, Amount mib, std::uint64_t nodes);

/// A generic resource by its name in the TRES catalogue ("gres/gpu:a100").
bool fit_gres(model::JobRequest& request, std::string_view tres, Amount count, std::uint64_t nodes);

/// A license by its name in the TRES catalogue.
bool fit_licenses(model::JobRequest& request, std::string_view tres, std::uint64_t most);

/// At most so many tasks of the array: its first ones.
bool fit_array(model::JobRequest& request, std::uint64_t most);

} // namespace qg::gate
