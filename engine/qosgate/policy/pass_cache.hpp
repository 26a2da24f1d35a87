// SPDX-License-Identifier: GPL-2.0-or-later
//
// PassCache: for each rule, with which values of fields, and of `view`, it did nothing. A rule that looks
// only at these, and keeps nothing from one call to the next (kept_state.hpp), does nothing again when it
// would read the same values, so it need not run. Most rules leave most jobs alone, and jobs are often sent
// in hundreds that differ little.
//
// Only doing nothing is remembered: a rule that changes, rejects, tells or fails runs each time.
#pragma once

#include "qosgate/policy/field_reads.hpp"
#include "qosgate/policy/fields.hpp"
#include "qosgate/policy/passed_values.hpp"
#include "qosgate/policy/value_numbers.hpp"
#include "qosgate/policy/view_reads.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace qg::policy {

/// Ownership: copies of values. Threads: not thread-safe; the one of its Lua state. Cost of each call:
/// bounded by FieldReads::max, ViewReads::max, PassedValues and the bounds below, whatever users send.
/// knows() may look up records, as a rule does.
class PassCache {
  public:
    /// The jobs that are remembered for a list of reads; then the oldest is replaced.
    static constexpr std::size_t max_jobs = 32;

    /// For each rule, in the order in which they run, whether it may keep something between calls.
    explicit PassCache(const std::vector<bool>& keeps_state);

    /// Begins with a job, counted, or with one that has changed.
    void start_job(const FieldSource& source) noexcept;

    /// Whether the rule does nothing with the job, as an earlier job of the same values has shown. Cheap;
    /// knows() may be asked without it.
    [[nodiscard]] bool knows_at_once(std::size_t rule) const noexcept { return passed_.has(rule); }

    /// The first rule from this one on of which knows_at_once() tells nothing.
    [[nodiscard]] std::size_t first_not_known_at_once(std::size_t rule) const noexcept {
        return passed_.first_other(rule);
    }

    /// Whether the rule does nothing with this job, for certain. `source` is the job of start_job().
    [[nodiscard]] bool knows(std::size_t rule, const FieldSource& source, const ViewSource& view) noexcept;

    /// Whether it is worth the time to note what the rule reads in its next run. It is not for a rule that
    /// reads what differs from job to job; now and then such a rule is tried again.
    [[nodiscard]] bool wants(std::size_t rule) const noexcept { return is_worth_it(rule); }

    /// Where the next run of a rule notes what it reads of `view`.
    [[nodiscard]] ViewReads& new_view_reads() noexcept {
        view_reads_.clear();
        return view_reads_;
    }

    /// Takes a run in which the rule did nothing with the job, with what it noted in new_view_reads().
    void remember(std::size_t rule, const FieldReads& reads, const FieldSource& source) noexcept;

  private:
    using Number = ValueNumbers::Number;
    using Numbers = std::array<Number, FieldReads::max>;

    /// Lists of reads that a rule's runs had. The first values decide what the rule reads next.
    static constexpr std::size_t max_lists = 4;
    /// What a rule read of `view` besides.
    struct PassedView {
        std::uint32_t user = 0;                           ///< the job's owner, whose `view` it was
        std::unique_ptr<const ViewReads> reads = nullptr; ///< null: none, for any owner
    };
    struct List {
        std::vector<FieldRead> reads;
        std::vector<Number> passed = {};    ///< of each job as many as there are reads
        std::vector<PassedView> views = {}; ///< of each job
        std::size_t oldest = 0;             ///< the job that is replaced next, when all places are taken
        bool is_watched = false;            ///< by passed_
    };
    struct Rule {
        bool may_be_left_out = false;
        std::uint32_t noted = 0; ///< times that remember() was called, and that `view` was another one
        std::uint32_t hits = 0;  ///< besides those of passed_
        std::vector<List> lists = {};
    };

    [[nodiscard]] bool is_worth_it(std::size_t rule) const noexcept;
    /// False if one of the values has no number.
    [[nodiscard]] bool find_numbers(Numbers& numbers, std::span<const FieldRead> reads,
                                    const FieldSource& source) noexcept;
    /// The place of a job of these values, and this owner, in a list; empty: there is none.
    [[nodiscard]] static std::optional<std::size_t> place_of(const List& list, const Numbers& numbers,
                                                             std::uint32_t user) noexcept;
    void add(List& list, const Numbers& numbers, std::uint32_t user) const;
    void watch_worthwhile_lists() noexcept;

    std::uint64_t jobs_ = 0;
    bool must_watch_anew_ = false; ///< there is a new list, or a list is (not) worth it any more
    PassedValues passed_;
    ValueNumbers values_;
    ViewReads view_reads_ = ViewReads::with_room(); ///< of the rule that runs
    std::vector<Rule> rules_;
};

} // namespace qg::policy
