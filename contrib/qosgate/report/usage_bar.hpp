// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much of a limit is used, as a bar.
#pragma once

#include <string>

namespace qg::cli {

/// "[######....]  60%", at 80 % in yellow and at 100 % in red if there are colours.
std::string usage_bar(double share, bool colours);

/// A cell with such a bar, but without it: "60%" of "[######....]  60%". Other cells stay.
std::string without_bar(const std::string& cell);

/// Whether standard output is a terminal that shows colours.
bool takes_colours();

} // namespace qg::cli
