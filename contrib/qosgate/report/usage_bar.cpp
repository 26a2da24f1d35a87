// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/usage_bar.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace qg::cli {

std::string usage_bar(double share, bool colours) {
    constexpr int width = 10;
    constexpr double max_percent = 9999; // usage may exceed a limit that was set later
    const int percent = static_cast<int>(std::min(std::floor(share * 100), max_percent));
    int full = std::min(static_cast<int>(std::min(share, 1.0) * width), width);
    if (full == 0 && share > 0) full = 1;
    const char* colour = percent >= 100 ? "\033[31m" : percent >= 80 ? "\033[33m" : "\033[32m";
    return text::format(
        "{}[{}{}]{} {:>3}%", colours ? colour : "", std::string(static_cast<std::size_t>(full), '#'),
        std::string(static_cast<std::size_t>(width - full), '.'), colours ? "\033[0m" : "", percent);
}

std::string without_bar(const std::string& cell) {
    const std::size_t percent = cell.find('%');
    if (percent == std::string::npos) return cell;
    return cell.substr(cell.find_last_of(' ', percent) + 1);
}

bool takes_colours() {
    const char* terminal = std::getenv("TERM");
    return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr && terminal != nullptr &&
           std::string_view(terminal) != "dumb";
}

} // namespace qg::cli
