// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the compiler reads once for layers and commands that read or write JSON (a precompiled header).
#include "standard.hpp"

#include <nlohmann/json.hpp>
