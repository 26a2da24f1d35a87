// SPDX-License-Identifier: GPL-2.0-or-later
//
// Slurm's error numbers in words: what was tried, where, why it failed and what to do about it.
#pragma once

#include "qosgate/base/error.hpp"
#include "qosgate/slurmdb/slurm_conf.hpp"

#include <string>
#include <string_view>

namespace qg::slurmdb {

/// The name of the user as whom this process runs, or "uid N".
std::string current_user();

/// The error of a slurmdbd call that failed with `error_number` (0: Slurm gave none, as when slurmdbd hangs
/// up).
Error describe_failure(const SlurmConf& conf, std::string_view what, int error_number);

/// The same for a call that was ended by its deadline; `why` is what may have kept slurmdbd from answering.
Error describe_timeout(const SlurmConf& conf, std::string_view what, long long seconds, std::string_view why);

} // namespace qg::slurmdb
