// SPDX-License-Identifier: GPL-2.0-or-later
//
// past_jobs: the jobs in accounting, read in pages by the time of their submission, so that a large database
// does not fill the memory.
//
//   const auto read = read_past_jobs(connection, {.cluster = "c", .since = from, .until = to},
//                                    [&](const PastJob& job) { sum.add(job); return true; });
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/base/units.hpp"
#include "qosgate/model/partition.hpp"
#include "qosgate/model/qos_record.hpp"

#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace qg::slurmdb {

class Connection;

/// A job as accounting has it: the values that it had at last, after defaults, rules and changes. The tasks
/// of an array are one job.
struct PastJob {
    std::uint32_t job_id = 0; ///< of an array, that of the array
    std::uint32_t user_id = 0;
    std::string user; ///< empty: the user's association is gone
    std::string account;
    std::string partition;
    std::string qos; ///< empty: none, or it is gone
    bool has_lost_qos = false;
    std::string name;
    std::string constraints;
    std::string reservation;
    std::string work_dir;
    std::string submit_line;
    std::time_t submit = 0;
    std::optional<TimeLimit> time_limit;
    std::uint32_t cpus = 0;              ///< asked for
    std::optional<model::Memory> memory; ///< asked for, or the default
    model::TresLimits tres;              ///< asked for, by name; empty: not recorded
    std::vector<std::uint32_t> tasks;    ///< the indices of an array, sorted; empty: it is none
    std::optional<std::uint32_t> het_offset;
};

struct PastJobsQuery {
    std::string cluster;
    std::time_t since = 0;
    std::time_t until = 0;             ///< the first second after
    std::optional<std::uint32_t> user; ///< only this user's jobs
};

/// Gets each job, in the order of pages; false ends the reading.
using TakePastJob = std::function<bool(const PastJob& job)>;
/// Called after each page with the time that it ends at; false ends the reading.
using PageDone = std::function<bool(std::time_t until)>;

/// Errors: as Connection::ask(). Cost: a query for each page. The first page is ten minutes long, the others
/// at most a day, so that a page has some thousands of jobs.
Result<void> read_past_jobs(Connection& connection, const PastJobsQuery& query, const TakePastJob& take,
                            const PageDone& done);

/// The indices in "0-3,7,9-11:2"; `%` and what follows is left out. Empty if the text is none, or names more
/// than four million.
std::vector<std::uint32_t> parse_array_tasks(std::string_view text);

} // namespace qg::slurmdb
