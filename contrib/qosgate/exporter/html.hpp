// SPDX-License-Identifier: GPL-2.0-or-later
//
// Text for HTML.
#pragma once

#include "qosgate/base/text.hpp"

#include <string>
#include <string_view>

namespace qg::cli {

/// A user's text, safe between tags and in quoted attributes, bounded and visible.
inline std::string html_text(std::string_view text, std::size_t max_bytes = 200) {
    std::string safe;
    for (const char letter : text::printable(text, max_bytes)) {
        switch (letter) {
        case '&': safe += "&amp;"; break;
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        case '"': safe += "&quot;"; break;
        case '\'': safe += "&#39;"; break;
        default: safe += letter;
        }
    }
    return safe;
}

} // namespace qg::cli
