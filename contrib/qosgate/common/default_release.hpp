// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "qosgate/limits/release.hpp"

namespace qg::cli {

/// The release whose rules commands apply: that of the Slurm that they were built for; in a build without
/// Slurm the newest one.
inline limits::Release default_release() {
#ifdef QG_RELEASE
    return limits::Release::parse(QG_RELEASE).value();
#else
    return limits::newest_release;
#endif
}

} // namespace qg::cli
