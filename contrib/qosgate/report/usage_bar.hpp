// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much of a limit is used, as a bar.
#pragma once

#include <string>

namespace qg::cli {

/// "[######....]  60%", at 80 % in yellow and at 100 % in red if there are colours.
std::string usage_bar(double share, bool colours);

/// Whether standard output is a terminal that shows colours.
bool takes_colours();

} // namespace qg::cli
