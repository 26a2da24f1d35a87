// SPDX-License-Identifier: GPL-2.0-or-later
//
// place: how problems name a place in a file.
#pragma once

#include "qosgate/base/text.hpp"
#include "qosgate/spec/desired.hpp"

#include <string>

namespace qg::spec {

/// "site.yaml:3:5: "; empty if the file is not known. Without a line or a column, what is known.
inline std::string place(const Position& position) {
    if (position.file.empty()) return {};
    std::string words = text::printable(position.file);
    if (position.line != 0) words += text::format(":{}", position.line);
    if (position.line != 0 && position.column != 0) words += text::format(":{}", position.column);
    return words + ": ";
}

} // namespace qg::spec
