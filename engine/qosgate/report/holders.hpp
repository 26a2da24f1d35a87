// SPDX-License-Identifier: GPL-2.0-or-later
//
// Holders: the jobs that hold a limit, and when they may give it back.
#pragma once

#include "qosgate/limits/violation.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/queued_job.hpp"
#include "qosgate/model/tres.hpp"
#include "qosgate/quota/local_quota.hpp"

#include <chrono>
#include <cstdint>
#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::report {

/// A limit of one owner, and the jobs that count for it.
struct CountedJobs {
    limits::LimitId limit;
    std::string tres;                     ///< empty: the limit has none
    std::string qos;                      ///< of a QOS: its name
    std::set<std::string> partitions;     ///< of a QOS: those that have it; of an association: its own
    std::set<std::string> accounts;       ///< of an association: its account and those below
    std::optional<std::uint32_t> user_id; ///< only this user's jobs
    std::string account;                  ///< only this account's jobs; empty: all
    /// Of a limit on run minutes: the UsageFactor by QOS, in lower case; those that are not 1.
    std::map<std::string, double> usage_factors = {};

    /// Whether a job counts, if it is in the state that the limit counts.
    [[nodiscard]] bool counts(const model::QueuedJob& job) const;
    [[nodiscard]] double usage_factor_of(const model::QueuedJob& job) const;
};

/// Whose jobs count for a limit of a job of that user. `partitions` are all of the cluster.
CountedJobs find_counted_jobs(const limits::LimitId& limit, const limits::Owner& owner,
                              std::optional<std::size_t> tres, const model::AccountView& view,
                              std::uint32_t user_id, const quota::LocalRecords& records,
                              std::span<const std::shared_ptr<const model::Partition>> partitions);

/// The same for a limit of a QOS, of all its users and accounts.
CountedJobs count_jobs_of_qos(const limits::LimitId& limit, std::string tres, std::string qos,
                              const quota::LocalRecords& records,
                              std::span<const std::shared_ptr<const model::Partition>> partitions);

/// Whether the queue shows what jobs have of such TRES.
bool is_shown_by_queue(model::TresKind kind) noexcept;

/// Whether a limit counts what running jobs have, and nothing else, and the queue shows that. `tres`: of the
/// limit; empty: it has none.
bool is_of_running_jobs(const limits::LimitId& limit, std::string_view tres);

/// An amount that is not known exactly.
struct AmountRange {
    std::uint64_t least = 0;
    std::uint64_t most = 0;

    [[nodiscard]] bool contains(std::uint64_t amount) const { return least <= amount && amount <= most; }
};

/// How slurmctld takes from the minutes of running jobs what they have used.
struct UsageClock {
    std::time_t now = 0;
    std::optional<std::chrono::seconds> step = {}; ///< empty: it takes all when the job ends
};

/// The seconds for which the TRES of a job that holds resources still count in limits on minutes, times the
/// UsageFactor of its QOS. No limit of time has no end here.
AmountRange seconds_that_count(const model::QueuedJob& job, double usage_factor, const UsageClock& clock);

struct Holder {
    const model::QueuedJob* job = nullptr; ///< never null
    std::uint64_t amount = 0;
    std::optional<std::time_t> end = {}; ///< by its time limit; empty: it has none, or it is suspended
};

struct Holders {
    std::vector<Holder> jobs; ///< most first
    std::uint64_t sum = 0;
    std::uint64_t most = 0; ///< what all of them may have at most: slurmctld keeps no more if it counts well
};

/// Those of the jobs that hold the limit now, with the amounts that count. Limits that count ended or pending
/// jobs too, or each job by itself, are held by none. Ownership: borrows the jobs.
Holders find_holders(const CountedJobs& counted, std::span<const model::QueuedJob> jobs,
                     const UsageClock& clock);

/// When jobs that reach their time limits leave room for `asked` more. Empty: never as far as is known,
/// because jobs without an end hold it, or because the jobs are not all that use it (`used`).
std::optional<std::time_t> estimate_room(const Holders& holders, std::uint64_t used, std::uint64_t asked,
                                         std::uint64_t limit, std::time_t now);

/// The amount of a TRES in a text of Slurm ("cpu=4,mem=62.50G"); 0: none. Slurm rounds large amounts of
/// memory to two digits: "1.53T" stands for many.
AmountRange amounts_in(std::string_view text, std::string_view tres);
/// The one in the middle.
std::uint64_t amount_in(std::string_view text, std::string_view tres);

} // namespace qg::report
