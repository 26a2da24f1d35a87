// SPDX-License-Identifier: GPL-2.0-or-later
//
// WaitingJob: why a pending job waits, who can change each limit, and what change would help.
#pragma once

#include "qosgate/gate/size/counted_request.hpp"
#include "qosgate/limits/binding.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/limits/violation.hpp"
#include "qosgate/model/queued_job.hpp"
#include "qosgate/policy/settings.hpp"
#include "qosgate/report/holders.hpp"
#include "qosgate/report/user_world.hpp"

#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace qg::report {

/// The limits whose counters no jobs account for, by a key: in an earlier reading, and in this one.
struct CounterDoubts {
    std::set<std::string> before = {};
    std::set<std::string> now = {};
};

/// What jobs are explained with. Ownership: borrows.
struct QueueContext {
    const UserWorld& world;
    std::span<const model::QueuedJob> holding; ///< the jobs that hold resources
    std::uint32_t reader = 0;
    limits::Release release;
    std::time_t now = 0;
    policy::Settings settings = {};                      ///< of the site: which changes may be suggested
    bool seeks_changes = true;                           ///< whether to look for changes that help
    std::optional<std::chrono::seconds> usage_step = {}; ///< of the queue
    std::span<const model::QueuedJob> queue = {};        ///< all jobs
    model::Obstacles obstacles = {};                     ///< read if a job needs them
    /// Counters that are too high for the jobs of the queue. Counters and jobs are not read at the same
    /// moment, so they are told only if they were so in a reading before. Null: they are not looked for.
    CounterDoubts* doubts = nullptr;
    const quota::UserGroups* groups = nullptr; ///< null: they are not known

    /// What requests are resolved against.
    [[nodiscard]] gate::ClusterContext cluster() const {
        return {*world.cluster, *world.accounting, release,
                gate::KnownCluster::as_read(world.cluster.get(), {.now = now, .cluster_read_at = world.now},
                                            groups)};
    }
};

/// The limit that a Reason is about.
struct HeldLimit {
    std::string text; ///< a line with the numbers: "CPUs of all running jobs in account lab: limit 8, …"
    limits::LimitId limit;
    std::string tres;
    std::string set_by;         ///< "account lab"
    bool hides_numbers = false; ///< PrivateData hides them from the reader; then they are 0
    std::uint64_t value = 0;
    std::uint64_t used = 0;
    std::optional<std::uint64_t> asked; ///< empty: it has room for what the job asks for
    bool is_permanent = false;          ///< waiting does not help
    Holders holders;
    std::optional<std::time_t> room_at; ///< an estimate
    /// Of what is in use: more than the jobs of the queue can have. Empty: not looked for.
    std::optional<std::uint64_t> unaccounted = {};
};

struct ExplainedReason {
    std::string reason;
    std::string meaning;
    std::string waiting;
    std::string change;
    bool is_of_limit = false;
    bool is_hidden = false;                ///< it is that of a limit which is hidden from the reader
    std::optional<HeldLimit> limit;        ///< of a Reason of a limit; empty: it is hidden, or gone
    std::vector<std::string> details = {}; ///< lines with the jobs, times, reservations and nodes behind it
    std::vector<std::string> rules;        ///< of its partitions, that the job breaks: lines with the numbers
};

struct WaitingJob {
    std::vector<ExplainedReason> reasons;
    std::vector<std::string> also;    ///< limits that block it beside its Reasons
    std::vector<std::string> changes; ///< "scontrol update JobId=12 QOS=plain", each of which lets it start
    bool hides_limits = false; ///< limits of accounts or of the partition's QOS are hidden from the reader
};

/// Explains a pending job. Ownership: its holders borrow the jobs. Cost: some dozen forecasts at most.
WaitingJob explain_waiting(const model::QueuedJob& job, const QueueContext& context);

/// Whether limits let a pending job start, as they are at this moment.
struct JobStanding {
    bool is_known = false; ///< false: its user, account or partition is not known
    bool may_use_qos = true;
    bool is_blocked = false;             ///< in each of its partitions
    bool is_blocked_for_good = false;    ///< waiting does not help
    std::vector<std::string> texts = {}; ///< the limits, a line with the numbers each
};

/// Cost: one forecast for each partition of the job.
JobStanding find_standing(const model::QueuedJob& job, const QueueContext& context);

/// A limit that blocks a job of this user now. Ownership: its holders borrow the jobs of the context.
HeldLimit describe_held(const limits::Violation& violation, const model::AccountView& view,
                        std::uint32_t user_id, const QueueContext& context);

/// The same for a limit that has room.
HeldLimit describe_held(const limits::BindingLimit& limit, const model::AccountView& view,
                        std::uint32_t user_id, const QueueContext& context);

/// Command lines of scontrol, at most one each for the time limit, the size, the QOS, the partition and the
/// account. Each is accepted by slurmctld from the job's owner, and with it no limit and no partition keeps
/// the job from starting, as far as the engine knows. None if the engine does not count the job as slurmctld
/// does, or does not find the Reason that squeue shows. Cost: at most 40 forecasts for the size, and some for
/// each QOS, partition and account of the user.
std::vector<std::string> find_helpful_changes(const model::QueuedJob& job, const QueueContext& context,
                                              std::span<const limits::Violation> blocking);

} // namespace qg::report
