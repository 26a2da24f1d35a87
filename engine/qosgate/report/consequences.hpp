// SPDX-License-Identifier: GPL-2.0-or-later
//
// What changes of QOSs would do to the jobs that are in the queue now.
#pragma once

#include "qosgate/quota/scenario.hpp"
#include "qosgate/report/waiting_job.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace qg::report {

/// A pending job and the limit that it is about.
struct JobConsequence {
    std::string job; ///< "1234_[6-9]"
    std::string user;
    std::string qos;
    std::string text; ///< the limits
};

/// Somebody who uses more than a limit would allow: running jobs go on, and new ones wait.
struct AboveLimit {
    std::string qos;
    std::string who;   ///< "user ana", "account bio", "all jobs"
    std::string limit; ///< "MaxTRESPerUser=cpu=4"
    std::string used;
};

struct Consequences {
    std::size_t running = 0;            ///< jobs with these QOSs that run: nothing happens to them
    std::size_t pending = 0;            ///< jobs with these QOSs that wait
    std::size_t judged = 0;             ///< of these
    std::vector<JobConsequence> stuck;  ///< that could start one day, and never would any more
    std::vector<JobConsequence> barred; ///< whose users may not use their QOS any more
    std::vector<JobConsequence> freed;  ///< that limits block now, and would not
    std::vector<AboveLimit> above;
};

/// What bounds the judging: so many pending jobs, in the order of the queue.
inline constexpr std::size_t max_judged_jobs = 20'000;

/// Says how many jobs of all are judged; false: stop.
using JudgedProgress = std::function<bool(std::size_t done, std::size_t all)>;

/// Who reads the answer, and the rules that judge.
struct JudgedFor {
    std::uint32_t reader = 0;
    limits::Release release;
    std::time_t now = 0;
};

/// Judges the jobs in both worlds. `touched` are the QOSs that change, or the access to them, in lower case.
/// Cost: two forecasts for each pending job with such a QOS, about 50 us each.
Consequences find_consequences(const UserWorld& before, const UserWorld& after,
                               const std::vector<model::QueuedJob>& queue,
                               const std::set<std::string>& touched, const JudgedFor& judged_for,
                               const JudgedProgress& progress);

} // namespace qg::report
