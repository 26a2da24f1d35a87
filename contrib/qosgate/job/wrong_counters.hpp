// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wrong counters: what slurmctld counts as in use, and no jobs of the queue can have.
#pragma once

#include "common/output.hpp"

#include "qosgate/base/result.hpp"
#include "qosgate/report/holders.hpp"
#include "qosgate/report/user_world.hpp"
#include "qosgate/slurm/queue_reader.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

/// Whether the caller is shown all that counters count.
bool sees_all_jobs(const report::UserWorld& world, const slurm::Queue& queue);

/// What slurmctld counts for a limit.
struct LimitCounter {
    report::CountedJobs whose;
    std::uint64_t used = 0;
    std::string name; ///< "CPUs of all running jobs in QOS debug"
};

/// Those that are too high, a sentence each, with the cure. Counters and jobs are not read at the same
/// moment, so one is told only if it is too high in two readings a second apart. Empty, too, if PrivateData
/// hides jobs from the caller. `pick` gets the world of each reading. Cost: eight RPCs, twice as many if one
/// is told.
Result<std::vector<std::string>>
find_wrong_counters(const std::function<std::vector<LimitCounter>(const report::UserWorld&)>& pick);

/// The sentences; none, with a warning, if they could not be read: the rest of an answer does not need them.
std::vector<std::string> or_warning(Result<std::vector<std::string>> sentences, Output& output);

} // namespace qg::cli
