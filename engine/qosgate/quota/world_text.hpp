// SPDX-License-Identifier: GPL-2.0-or-later
//
// world_text: a world as a JSON text, which parse_world() reads back.
#pragma once

#include "qosgate/quota/scenario.hpp"

#include <string>

namespace qg::quota {

/// The world as one object, with a line for each QOS, association, partition and user. Values that are as in
/// an empty world are left out. Cost: linear in the world.
std::string to_json(const World& world);

} // namespace qg::quota
