// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/slurm/compat.hpp"

namespace qg::plugin {

/// The release that this plugin is for.
inline constexpr auto this_release = limits::Release::from_version_number(SLURM_VERSION_NUMBER);

} // namespace qg::plugin
