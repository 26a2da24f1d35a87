// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/slurm/compat.hpp"

#include <cstdint>

namespace qg::plugin {

/// SLURM_VERSION_NUMBER of the process: that of the headers until the loader says otherwise, before init().
inline std::uint32_t release_number = SLURM_VERSION_NUMBER;

/// The release of the process, of the branch that this gate is compiled for.
inline limits::Release running_release() noexcept {
    return limits::Release::from_version_number(release_number);
}

} // namespace qg::plugin
