// SPDX-License-Identifier: GPL-2.0-or-later
//
// QueuedJob: a job in slurmctld's queue, as squeue shows it.
#pragma once

#include "qosgate/base/units.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/partition.hpp"

#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace qg::model {

enum class QueueState : std::uint8_t {
    pending,
    running,
    suspended, ///< it still holds what it was allocated
    over,      ///< ended, or about to end: it holds nothing that limits count
};

/// One record of the queue: a job, a task of an array, all pending tasks of an array, or a part of a
/// heterogeneous job.
struct QueuedJob {
    std::uint32_t id = 0;
    std::uint32_t array_id = 0;       ///< 0: not an array
    std::vector<std::uint32_t> tasks; ///< of an array: the task, or the pending tasks of this record
    std::uint32_t het_id = 0;         ///< 0: not a part of a heterogeneous job
    std::string name;                 ///< "1234", "1234_5", "1234_[6-9]", "1234+1"
    QueueState state = QueueState::pending;
    std::string state_name;  ///< "RUNNING"
    std::string reason;      ///< Reason token
    std::string reason_text; ///< what squeue shows instead; may be empty
    std::uint32_t user_id = 0;
    std::string account;
    std::string qos;
    std::string partition;               ///< of a pending job: all of them, with commas
    std::optional<TimeLimit> time_limit; ///< empty: it has none yet
    std::time_t start = 0;               ///< of a job that started
    std::time_t end = 0;                 ///< by its time limit
    std::time_t last_attempt = 0;        ///< when slurmctld last tried to start it; 0: never
    std::string tres;                    ///< "cpu=4,mem=4000M": requested, or allocated once it runs
    std::vector<NodeRange> nodes;        ///< of a job that holds resources; sorted
    std::uint32_t association_id = 0;    ///< 0: it has none
    JobRequest request;                  ///< of a pending job; borrows nothing
    // Of a pending job, too:
    std::time_t begin = 0;          ///< when it may start at the earliest
    std::time_t planned_start = 0;  ///< 0: nothing is planned
    std::string planned_nodes = {}; ///< as Slurm writes names: "n[1-4]"
    std::string dependency = {};    ///< as squeue shows it: "afterok:12(unfulfilled)"
    std::string reservation = {};
    std::set<std::string, std::less<>> unavailable_nodes = {}; ///< that its Reason names

    /// Whether its resources count as in use.
    [[nodiscard]] bool holds_resources() const noexcept {
        return state == QueueState::running || state == QueueState::suspended;
    }
};

/// slurmctld's table of jobs (limits/README.md 8.6).
struct JobTable {
    std::uint64_t taken = 0; ///< places, also of jobs that ended a moment ago
    std::uint64_t max = 0;   ///< MaxJobCount
    /// PrivateData hides jobs of other users from callers that are not operators; theirs are not in `taken`.
    bool hides_jobs = false;
};

/// A reservation, as scontrol shows it.
struct ReservedTime {
    std::string name;
    std::time_t start = 0;
    std::time_t end = 0;
    std::string nodes; ///< "n[1-4]"
    bool is_maintenance = false;
    std::vector<NodeRange> ranges = {}; ///< the same nodes, in the cluster's node table; empty: not known
};

/// A node on which nothing starts.
struct StoppedNode {
    std::string name;
    std::string state;                       ///< "DRAINED"
    std::string reason;                      ///< an administrator's words; may be empty
    std::string partitions;                  ///< with commas
    std::optional<std::uint32_t> index = {}; ///< in the cluster's node table; empty: not known
};

/// What keeps jobs from nodes, beside other jobs.
struct Obstacles {
    std::vector<ReservedTime> reservations;
    std::vector<StoppedNode> nodes;
};

} // namespace qg::model
