// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the compiler reads once for all test programs (a precompiled header).
#include "support/print.hpp"

#include "../../engine/pch/standard.hpp"

#include <boost/test/unit_test.hpp>
