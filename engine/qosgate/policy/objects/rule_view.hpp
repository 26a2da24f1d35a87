// SPDX-License-Identifier: GPL-2.0-or-later
//
// RuleView: what rules read of the cluster besides the job, the argument `view` of their functions.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/quota/view_builder.hpp"

#include <array>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

class ClientHost;

/// The cluster, as `view.cluster` shows it.
struct ClusterFacts {
    const model::Cluster* cluster = nullptr;
    std::uint64_t age = 0; ///< in seconds
    std::string default_partition;
    std::vector<std::string> partitions; ///< names, in slurm.conf's order
};

/// Whose record `view.user` and `view.sender` show.
enum class WhichUser : std::uint8_t {
    owner,  ///< of the job
    sender, ///< of the request
};

/// What is left of a QOS for the job's user now, under its limits on other jobs; empty: unlimited.
struct QosHeadroom {
    using Counts = std::vector<std::optional<std::uint64_t>>; ///< in the order of the catalogue

    std::optional<std::uint64_t> jobs;
    std::optional<std::uint64_t> submit_jobs;
    std::optional<std::uint64_t> wall_minutes;
    Counts tres;
    Counts tres_run_minutes;
    Counts tres_minutes;
};

/// What the limits of a QOS leave: of several limits the least. `enforces_safe`: AccountingStorageEnforce has
/// `safe`; then the minutes that running jobs may still use are taken, too (limits/README.md 1.3).
QosHeadroom headroom_of(const model::Qos& qos, bool enforces_safe);

/// A QOS that rules have read.
struct QosFacts {
    model::Qos qos;
    bool has_all_usage = false;          ///< else only what its limits are compared with
    bool enforces_safe = false;          ///< AccountingStorageEnforce has `safe`
    std::optional<QosHeadroom> headroom; ///< empty: not asked for yet
    std::string why_not;                 ///< the last answer of why_not()
};

/// Which jobs a rule wants to count; an empty text is none. Trivial. Ownership: borrows.
struct JobFilter {
    std::string_view user = {};
    std::string_view account = {};
    std::string_view qos = {};
    std::string_view state = {}; ///< "pending", "running", or empty for both
};

/// The states that a filter can name.
inline constexpr std::array<std::string_view, 2> job_filter_states{"pending", "running"};

/// A key of the table that view.jobs takes.
struct JobFilterKey {
    const char* name;
    std::string_view JobFilter::*member;
    std::span<const std::string_view> values = {}; ///< empty: any name
};
inline constexpr JobFilterKey job_filter_keys[] = {{"account", &JobFilter::account},
                                                   {"qos", &JobFilter::qos},
                                                   {"state", &JobFilter::state, job_filter_states},
                                                   {"user", &JobFilter::user}};

/// Why view.jobs takes no such state.
std::string describe_wrong_state(std::string_view state);

/// Everything is looked up when a rule first asks for it, and kept until the end of the decision: all rules
/// of one decision read the same values.
/// Errors: of every function: unavailable, with a text for the message of the failed rule. They throw only
/// std::bad_alloc.
/// Ownership: what a function returns lives as long as the object. Threads: not thread-safe; it belongs to
/// one decision. No function holds a lock when it returns.
class RuleView {
  public:
    RuleView() = default;
    RuleView(const RuleView&) = delete;
    RuleView& operator=(const RuleView&) = delete;
    virtual ~RuleView() = default;

    /// The client that runs the rules; null: slurmctld does. Who runs the rules sets it.
    const ClientHost* client = nullptr;

    /// The TRES in the order in which it counts, where that is not known before it is asked; null: the order
    /// of the job's counts.
    const model::TresCatalogue* catalogue = nullptr;

    /// The time of the decision, in seconds since 1970.
    [[nodiscard]] virtual Result<std::time_t> now() = 0;
    /// The same in the time zone of the process that runs the rules.
    [[nodiscard]] virtual Result<const std::tm*> local_time() = 0;
    [[nodiscard]] virtual Result<const ClusterFacts*> cluster() = 0;
    [[nodiscard]] virtual Result<const quota::UserRecord*> user(WhichUser which) = 0;
    /// The names of the groups of one of these two users, the primary one first.
    [[nodiscard]] virtual Result<std::span<const std::string>> groups(std::uint32_t user_id) = 0;

    /// The one of this name; null: there is none.
    [[nodiscard]] virtual Result<const model::Partition*> partition(std::string_view name) = 0;
    [[nodiscard]] virtual Result<const model::Reservation*> reservation(std::string_view name) = 0;
    /// Errors: also limit_exceeded after very many names.
    [[nodiscard]] virtual Result<QosFacts*> qos(std::string_view name) = 0;

    /// One of these with all its usage, also where nothing limits it. Errors: also if it was just deleted.
    [[nodiscard]] virtual Result<const model::Qos*> with_usage(QosFacts& qos) = 0;

    /// The names of the QOSs that the job's association may use, sorted.
    [[nodiscard]] virtual Result<std::span<const std::string>> allowed_qos() = 0;
    /// The names of the accounts in which the job's owner has an association, sorted.
    [[nodiscard]] virtual Result<std::span<const std::string>> accounts() = 0;
    /// From the job's association to the root; empty: it has none.
    [[nodiscard]] virtual Result<std::span<const model::Association>> associations() = 0;

    /// How many jobs slurmctld counts. Errors: also unsupported for jobs that it does not count together.
    [[nodiscard]] virtual Result<std::uint64_t> count_jobs(const JobFilter& filter) = 0;

    /// Why a job would not start at once in this QOS in an empty cluster: what refuses it, or what it would
    /// wait for. Empty: nothing. Errors: also limit_exceeded for a job that is too large to be checked.
    [[nodiscard]] virtual Result<std::string_view> why_not(const model::JobRequest& job, QosFacts& qos) = 0;
};

} // namespace qg::policy
