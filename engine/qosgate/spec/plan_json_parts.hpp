// SPDX-License-Identifier: GPL-2.0-or-later
//
// A plan as a part of other JSON files.
#pragma once

#include "qosgate/spec/plan.hpp"
#include "qosgate/spec/strict_json.hpp"

#include <string>

namespace qg::spec {

/// Without the cluster, which the file names once.
Json plan_to_json(const Plan& plan);
Plan plan_from_json(JsonReader& reader, const Json& json, const std::string& path,
                    const std::string& cluster);

} // namespace qg::spec
