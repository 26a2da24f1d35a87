// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the compiler reads once for all commands (a precompiled header).
#include "../../../engine/pch/standard.hpp"

#include <nlohmann/json.hpp>
