// SPDX-License-Identifier: GPL-2.0-or-later
//
// Decision: the gate's answer for one job.
#pragma once

#include "qosgate/base/log.hpp"
#include "qosgate/model/job_request.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::model {

/// Why a job is refused, in terms of Slurm's own errors (limits/README.md 2.3); the plugin maps it to the
/// errno.
enum class RejectCode : std::uint8_t {
    none,
    invalid_qos,        ///< ESLURM_INVALID_QOS
    accounting_policy,  ///< ESLURM_ACCOUNTING_POLICY
    invalid_account,    ///< ESLURM_INVALID_ACCOUNT
    invalid_partition,  ///< ESLURM_INVALID_PARTITION_NAME
    invalid_time_limit, ///< ESLURM_INVALID_TIME_LIMIT
    invalid_time_min,   ///< ESLURM_INVALID_TIME_MIN_LIMIT
    invalid_node_count, ///< ESLURM_INVALID_NODE_COUNT
    bad_task_count,     ///< ESLURM_BAD_TASK_COUNT
    too_many_cpus,      ///< ESLURM_TOO_MANY_REQUESTED_CPUS
    invalid_tres,       ///< ESLURM_INVALID_TRES
    invalid_nice,       ///< ESLURM_INVALID_NICE
    invalid_array,      ///< ESLURM_INVALID_ARRAY
    partition_limits,   ///< ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE: EnforcePartLimits, checked last
    text_too_long,      ///< ESLURM_PATHNAME_TOO_LONG; Slurm uses it for all texts
    partition_assoc,    ///< ESLURM_PARTITION_ASSOC
    access_denied,      ///< ESLURM_ACCESS_DENIED: a rule of the site said no
    try_again,          ///< EAGAIN: not known yet; sbatch, salloc and srun submit the job again by themselves
};

/// Whether a job is refused for its time limit or its --time-min.
constexpr bool is_about_time(RejectCode code) noexcept {
    return code == RejectCode::invalid_time_limit || code == RejectCode::invalid_time_min;
}

/// What slurmctld is expected to do with a job without qosgate. The texts are literals.
struct Forecast {
    RejectCode code = RejectCode::none; ///< none: it accepts the job
    std::string_view reason; ///< Reason token of a refusal for limits ("QOSMaxGRESPerUser"); else empty
    std::optional<TimeLimit> time_limit; ///< of an accepted job; empty: none until it starts
    bool time_set_by_limit = false;
    /// Reason that limits and partition rules give an accepted job after a scheduling pass has tried it.
    /// Empty: they do not keep it pending (it starts, or waits for resources, priority, dependencies).
    std::string_view pending_reason;
    bool may_start = false;    ///< in spite of that Reason: it may get nodes that are counted already
    bool never_starts = false; ///< that Reason lasts until the job, limits or partitions change
};

/// One thing that a rule or the gate did with a job.
struct DecisionEvent {
    std::string_view effect; ///< as its line in the log begins ("refused"); a literal
    std::string rule;        ///< empty: the gate itself
    std::string file;        ///< of the rule
    std::string reason;      ///< Slurm's Reason of a limit; else empty
    std::string text;        ///< what the user reads, what changed, or the cause
    /// What becomes of the job by the limit: "refused", by slurmctld or by the gate, "never starts", "waits".
    /// A literal; empty: it is about no limit.
    std::string_view outcome = {};
};

/// What the log calls a job: as requested, or the default. Empty: none, or not known.
struct JobNames {
    std::string user;
    std::string account;
    std::string partition;
    std::string qos;
};

/// The answer for one job.
struct Decision {
    // Not "= default": g++ 12 would fill the 1 KiB of `changed` with zeros.
    Decision() noexcept {} // NOLINT(modernize-use-equals-default)

    /// The gate's own answer. In level `explain` it stays `none` for limits: slurmctld refuses the job. The
    /// exception is a job that is only tested (slurmctld would drop the messages): here it is slurmctld's
    /// code.
    RejectCode reject = RejectCode::none;
    Forecast forecast;                 ///< what slurmctld is expected to do with the job
    std::vector<std::string> message;  ///< lines for the user, in order, without newlines; may be empty
    std::vector<LogLine> log;          ///< lines for the administrator's log
    std::vector<DecisionEvent> events; ///< one for each of these lines
    std::optional<JobNames> names;     ///< if there are such lines
    std::optional<JobRequest> changed; ///< the job as the rules left it; empty: unchanged, or rejected
};

} // namespace qg::model
