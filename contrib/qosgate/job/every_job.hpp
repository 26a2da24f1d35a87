// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "qosgate/model/tres.hpp"

namespace qg::cli {

/// Whether limits of this kind of TRES meet every job, and not only those that ask for it, such as GPUs.
/// No job asks for energy.
constexpr bool meets_every_job(model::TresKind kind) noexcept {
    switch (kind) {
    case model::TresKind::cpu:
    case model::TresKind::mem:
    case model::TresKind::node:
    case model::TresKind::billing: return true;
    case model::TresKind::energy:
    case model::TresKind::bb:
    case model::TresKind::gres:
    case model::TresKind::license:
    case model::TresKind::other: break;
    }
    return false;
}

} // namespace qg::cli
