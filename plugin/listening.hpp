// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether this process listens on a port: an RPC to a slurmctld that does not yet is tried again by Slurm's
// library only a second later, when the first jobs are there.
#pragma once

#include <cstdint>

namespace qg::plugin {

/// Whether a socket of this process listens on one of `count` ports from `first` on.
/// False also where /proc does not tell which descriptors there are.
/// Cost: some system calls for each open descriptor.
bool listens_on(std::uint32_t first, std::uint32_t count) noexcept;

} // namespace qg::plugin
