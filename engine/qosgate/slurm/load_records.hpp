// SPDX-License-Identifier: GPL-2.0-or-later
//
// Requests to slurmctld over its public RPCs: the calling convention of all slurm_load_*() functions.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurm/compat.hpp"

#include <cerrno>
#include <ctime>

namespace qg::slurm {

inline constexpr std::time_t everything = 0; ///< an update_time that is older than all data

/// The answer of one load function: the message, or null if nothing is newer than the given time. `call` gets
/// the address for the message; `what` names the attempt ("reading the partitions"). Errors: unavailable,
/// with Slurm's error text.
template <typename Owned, typename Load>
Result<Owned> load(const char* what, Load call) {
    typename Owned::pointer message = nullptr;
    errno = 0;
    const int code = call(&message);
    Owned owned(message);
    if (code == SLURM_SUCCESS || errno == SLURM_NO_CHANGE_IN_DATA) return owned;
    return Error{ErrorCode::unavailable, text::format("{}: {}", what, slurm_strerror(errno))};
}

inline Result<OwnedConf> load_conf(std::time_t newer_than) {
    return load<OwnedConf>("reading the configuration",
                           [=](slurm_conf_t** message) { return slurm_load_ctl_conf(newer_than, message); });
}

} // namespace qg::slurm
