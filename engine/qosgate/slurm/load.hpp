// SPDX-License-Identifier: GPL-2.0-or-later
//
// Asking slurmctld over its public RPCs: the calling convention that all slurm_load_*() functions share.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/slurm/compat.hpp"

#include <cerrno>
#include <ctime>
#include <string>

namespace qg::slurm {

inline constexpr std::time_t everything = 0; ///< update_time that no data is older than

/// What one load function answered: the message, or null where nothing is newer than asked for. `call` gets
/// the place for the message; `what` says what was tried ("reading the partitions").
/// Errors: unavailable, with Slurm's words.
template <typename Owned, typename Load>
Result<Owned> load(const char* what, Load call) {
    typename Owned::pointer message = nullptr;
    errno = 0;
    const int code = call(&message);
    Owned owned(message);
    if (code == SLURM_SUCCESS || errno == SLURM_NO_CHANGE_IN_DATA) return owned;
    return Error{ErrorCode::unavailable, std::string(what) + ": " + slurm_strerror(errno)};
}

inline Result<OwnedConf> load_conf(std::time_t newer_than) {
    return load<OwnedConf>("reading the configuration",
                           [=](slurm_conf_t** message) { return slurm_load_ctl_conf(newer_than, message); });
}

} // namespace qg::slurm
