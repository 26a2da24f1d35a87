// SPDX-License-Identifier: GPL-2.0-or-later
//
// Turns Slurm's error numbers into texts: what was tried, where, why it failed and what to do.
#pragma once

#include "qosgate/base/error.hpp"
#include "qosgate/slurmdb/slurm_conf.hpp"

#include <string>
#include <string_view>

namespace qg::slurmdb {

/// The name of the user as whom this process runs, or "uid N".
std::string current_user();

/// The error of a slurmdbd call that failed with `error_number` (0: Slurm gave none, for example because
/// slurmdbd closed the connection).
Error describe_failure(const SlurmConf& conf, std::string_view what, int error_number);

/// The same for a call that its deadline ended; `why` is the possible reason for the missing answer.
Error describe_timeout(const SlurmConf& conf, std::string_view what, long long seconds, std::string_view why);

} // namespace qg::slurmdb
