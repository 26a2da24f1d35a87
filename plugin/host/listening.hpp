// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether this process listens on a port. If slurmctld does not listen yet, Slurm's library repeats an RPC
// only after a second, and by then the first jobs have arrived.
#pragma once

#include <cstdint>

namespace qg::plugin {

/// Whether a socket of this process listens on one of `count` ports from `first` on.
/// Also false if /proc does not show the descriptors.
/// Cost: some system calls for each open descriptor.
bool listens_on(std::uint32_t first, std::uint32_t count) noexcept;

} // namespace qg::plugin
