// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the name of a TRES says about its type.
#pragma once

#include "qosgate/model/tres.hpp"

#include <string_view>

namespace qg::model {

/// The TRES that counts a gres of all types: "gres/gpu" for "gres/gpu:a100". Empty: the name has no type.
inline std::string_view untyped_tres(std::string_view tres_name) noexcept {
    const auto colon = tres_name.find(':');
    if (colon == std::string_view::npos || kind_of(tres_name) != TresKind::gres) return {};
    return tres_name.substr(0, colon);
}

} // namespace qg::model
