// SPDX-License-Identifier: GPL-2.0-or-later
//
// Recount: what slurmctld's counters would be if it counted the jobs of its queue again, and where they
// differ (limits/README.md 7). It knows nothing of where jobs and counters came from.
#pragma once

#include "qosgate/model/limit_facts.hpp"
#include "qosgate/model/partition.hpp"
#include "qosgate/model/usage.hpp"

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace qg::report {

enum class CounterKind : std::uint8_t { qos, user_of_qos, account_of_qos, association };

/// Whose jobs count together.
struct Counter {
    CounterKind kind = CounterKind::qos;
    std::uint32_t id = 0;      ///< of the QOS or the association
    std::uint32_t user_id = 0; ///< of a user of a QOS
    std::string account = {};  ///< of an account of a QOS

    friend auto operator<=>(const Counter&, const Counter&) = default;
};

/// Of each counter: running and submitted jobs, the TRES of running jobs, and their minutes. One that is
/// absent is 0.
using Counters = std::map<Counter, model::Usage>;

/// One record of the queue, as slurmctld counts it.
struct CountedJob {
    std::uint64_t submitted = 1; ///< tasks of an array count singly
    bool holds_resources = false;
    model::TresCounts tres = {};              ///< of a job that holds resources: at least
    model::TresCounts most_tres = {};         ///< at most; empty: the same
    std::vector<model::NodeRange> nodes = {}; ///< the same
    std::uint64_t least_seconds = 0; ///< of a job that holds resources: for which its TRES still count
    std::uint64_t most_seconds = 0;
    std::vector<std::uint32_t> qos = {};          ///< its own and that of its partitions, each once
    std::vector<std::uint32_t> possible_qos = {}; ///< in which it may count, too; none of the others
    std::vector<std::uint32_t> associations = {}; ///< its own and all above
    std::uint32_t user_id = 0;
    std::string account = {};
};

/// The counters as they may be. They differ where the queue does not show exactly what counts.
struct CounterRange {
    Counters least;
    Counters most;
};

/// The counters of these jobs. A node that several jobs share counts once; `node` is its index among the
/// TRES.
CounterRange recount(std::span<const CountedJob> jobs, std::optional<std::size_t> node);

/// One number of a counter.
struct CountedAmount {
    Counter counter;
    /// Running or submitted jobs, TRES, or minutes of TRES.
    model::LimitMeasure measure = model::LimitMeasure::running_jobs;
    std::size_t tres = 0; ///< of TRES: index

    friend auto operator<=>(const CountedAmount&, const CountedAmount&) = default;
};

struct Difference {
    CountedAmount what;
    std::uint64_t counted = 0; ///< of what it may be, the nearest
    std::uint64_t kept = 0;    ///< by slurmctld
};

/// Compares counters with jobs while both change. Each round is a reading of the counters, the jobs, and the
/// counters again. A difference counts if it was the same in two rounds, in which the counter itself stood
/// still. A number is equal if it stood still and is what the jobs count, or if it was equal in two rounds
/// while it changed: once may be an accident. What the jobs count in minutes falls while they run, so of
/// minutes a difference is the same if it is on the same side.
///
///   CounterComparison comparison({0, 1, 3});
///   do comparison.add_round(before, recount(jobs, node), after); while (!comparison.is_settled());
class CounterComparison {
  public:
    /// Whose minutes are compared: slurmctld may not count those of users and accounts of a QOS.
    enum class Minutes : std::uint8_t { of_all, of_groups };

    /// Compares only these TRES.
    explicit CounterComparison(std::vector<std::size_t> tres, Minutes minutes = Minutes::of_all)
        : tres_(std::move(tres)), minutes_(minutes) {}

    void add_round(const Counters& before, const CounterRange& counted, const Counters& after);

    /// Whether another round would tell nothing new.
    [[nodiscard]] bool is_settled() const noexcept { return open_.empty() && rounds_ > 0; }

    [[nodiscard]] const std::vector<Difference>& differences() const noexcept { return differences_; }
    /// What was neither equal nor different in the rounds so far.
    [[nodiscard]] std::vector<CountedAmount> unsettled() const;
    /// Numbers that were compared.
    [[nodiscard]] std::size_t compared() const noexcept { return amounts_ - open_.size(); }

  private:
    /// What is not settled yet.
    struct Open {
        bool was_equal = false;                      ///< once, while it changed
        std::optional<std::int64_t> difference = {}; ///< when it last stood still; of minutes: the side
    };

    std::vector<CountedAmount> amounts_of(std::initializer_list<const Counters*> all) const;
    /// Whether it is settled now.
    bool settle(const CountedAmount& what, Open& open, const Counters& before, const CounterRange& counted,
                const Counters& after);

    std::vector<std::size_t> tres_;
    Minutes minutes_;
    std::size_t rounds_ = 0;
    std::size_t amounts_ = 0;
    std::map<CountedAmount, Open> open_;
    std::vector<Difference> differences_;
};

/// "12 numbers compared with 3 records of the queue: no difference; 2 numbers could not be compared".
std::string headline_of(const CounterComparison& comparison, std::size_t jobs, std::size_t unknown_jobs);
/// The exit status of `qosgate verify`: 0 only if all was compared and is equal.
int verify_status_of(const CounterComparison& comparison, std::size_t unknown_jobs);

} // namespace qg::report
