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

/// Whether slurmctld may have cut off a request because it reads slurm.conf again (slurm/README.md 3.4). A
/// request that took as long as MessageTimeout is none of these, nor one that found nobody listening.
inline bool is_cut_off(int error) noexcept {
    return error == EPIPE || error == ECONNRESET || error == SLURM_ERROR ||
           error == SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT || error == SLURMCTLD_COMMUNICATIONS_SEND_ERROR ||
           error == SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR;
}

/// The answer of one load function: the message, or null if nothing is newer than the given time. `call` gets
/// the address for the message; `what` names the attempt ("reading the partitions"). It only reads, so what
/// is_cut_off() is asked for once more. Errors: unavailable, with Slurm's error text.
template <typename Owned, typename Load>
Result<Owned> load(const char* what, Load call) {
    int error = SLURM_SUCCESS;
    for (int tries_left = 2; tries_left != 0; --tries_left) {
        typename Owned::pointer message = nullptr;
        errno = 0;
        const int code = call(&message);
        error = errno;
        Owned owned(message);
        if (code == SLURM_SUCCESS || error == SLURM_NO_CHANGE_IN_DATA) return owned;
        if (!is_cut_off(error)) break;
    }
    return Error{ErrorCode::unavailable, text::format("{}: {}", what, slurm_strerror(error))};
}

inline Result<OwnedConf> load_conf(std::time_t newer_than) {
    return load<OwnedConf>("reading the configuration",
                           [=](slurm_conf_t** message) { return slurm_load_ctl_conf(newer_than, message); });
}

} // namespace qg::slurm
