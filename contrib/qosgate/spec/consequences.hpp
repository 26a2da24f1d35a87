// SPDX-License-Identifier: GPL-2.0-or-later
//
// What changes of QOSs would do to the jobs that are in the queue now.
#pragma once

#include "common/output.hpp"
#include "job/waiting_job.hpp"

#include "qosgate/model/queued_job.hpp"
#include "qosgate/quota/scenario.hpp"
#include "qosgate/spec/plan.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace qg::cli {

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

/// Judges the jobs with `plan` carried out and as it is. `after` is the state that the plan makes.
/// Cost: two forecasts for each pending job with a QOS that changes, about 50 us each; two copies of the
/// world.
Consequences find_consequences(const quota::World& world, const std::vector<model::QueuedJob>& queue,
                               const spec::Plan& plan, const spec::LiveState& after,
                               const JudgedProgress& progress);

/// The world with the plan carried out.
quota::World with_plan(quota::World world, const spec::Plan& plan, const spec::LiveState& after);

/// The same from slurmctld and its queue, with words about the progress. Empty: it is not known, and the
/// reason was told as a warning: slurmctld does not answer, or the caller is no operator and may not see all
/// jobs. Cost: nine RPCs.
std::optional<Consequences> judge_plan(const spec::Plan& plan, const spec::LiveState& live, Output& output);

void print(const Consequences& found, std::ostream& out);
nlohmann::ordered_json to_json(const Consequences& found);

} // namespace qg::cli
