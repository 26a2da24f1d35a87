// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/errors.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/compat.hpp"

#include <cerrno>

#include <pwd.h>
#include <unistd.h>

namespace qg::slurmdb {

std::string current_user() {
    const passwd* entry = getpwuid(geteuid());
    return entry != nullptr ? entry->pw_name : text::format("uid {}", geteuid());
}

Error describe_failure(const SlurmConf& conf, std::string_view what, int error_number) {
    const std::string where = text::format("{}: cannot {}", conf.slurmdbd(), what);
    switch (error_number) {
    case ESLURM_ACCESS_DENIED:
        return {ErrorCode::permission_denied,
                text::format("{}: user {} may not; this requires root, SlurmUser or AdminLevel=Administrator "
                             "('sacctmgr show user {}' shows yours)",
                             where, current_user(), current_user())};
    case ESLURM_QOS_PREEMPTION_LOOP:
        return {ErrorCode::invalid_input,
                where +
                    ": QOSs would preempt each other, directly or through others; take one of them out of "
                    "Preempt (a QOS cannot preempt itself: that is PreemptMode=WITHIN)"};
    case ESLURM_JOBS_RUNNING_ON_ASSOC:
        return {ErrorCode::conflict, where + ": jobs still use it; wait for them or cancel them"};
    case 0:
        return {ErrorCode::unavailable,
                where + ": it closed the connection without an answer; see its log, then try again"};
    case ECONNREFUSED: return {ErrorCode::unavailable, where + ": connection refused; is slurmdbd running?"};
    case SLURM_PROTOCOL_AUTHENTICATION_ERROR:
        return {ErrorCode::unavailable,
                where + ": authentication failed; is munged running here, with the same key as there?"};
    default: break;
    }
    if (slurm::refuses_default(error_number))
        return {ErrorCode::conflict,
                where + ": an association would not have access to its default QOS; give it another default "
                        "first ('sacctmgr show associations' shows them)"};
    return {ErrorCode::unavailable, text::format("{}: {}", where, slurm_strerror(error_number))};
}

Error describe_timeout(const SlurmConf& conf, std::string_view what, long long seconds,
                       std::string_view why) {
    return {ErrorCode::unavailable,
            text::format("{}: cannot {}: no answer within {} s; {}", conf.slurmdbd(), what, seconds, why)};
}

} // namespace qg::slurmdb
