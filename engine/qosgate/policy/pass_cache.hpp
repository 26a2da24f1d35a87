// SPDX-License-Identifier: GPL-2.0-or-later
//
// PassCache: for each rule, with which values of fields it did nothing. A rule that looks only at fields of
// the job, and keeps nothing from one call to the next (kept_state.hpp), does nothing again when the job has
// the same values, so it need not run. Most rules leave most jobs alone, and jobs are often sent in hundreds
// that differ little.
//
// Only doing nothing is remembered: a rule that changes, rejects, tells or fails runs each time.
#pragma once

#include "qosgate/policy/field_reads.hpp"
#include "qosgate/policy/fields.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace qg::policy {

/// Ownership: copies of values. Threads: not thread-safe; the one of its Lua state. Cost of each call:
/// bounded by FieldReads::max and the bounds below, whatever users send.
class PassCache {
  public:
    /// The bytes of a text; a rule that reads a longer one runs.
    static constexpr std::size_t max_text = 128;
    /// The values of a field that are known by a number; then all of them are forgotten.
    static constexpr std::size_t max_values = 32;
    /// The jobs that are remembered for a list of reads; then the oldest is replaced.
    static constexpr std::size_t max_jobs = 32;

    /// For each rule, in the order in which they run, whether it may keep something between calls.
    explicit PassCache(const std::vector<bool>& keeps_state);

    /// Begins with a job, or with one that has changed.
    void start_job() noexcept;

    /// Whether the rule does nothing with this job, for certain. `source` is the job of start_job(), counted.
    [[nodiscard]] bool knows(std::size_t rule, const FieldSource& source) noexcept;

    /// Whether it is worth the time to note what the rule reads in its next run. It is not for a rule that
    /// reads what differs from job to job; now and then such a rule is tried again.
    [[nodiscard]] bool wants(std::size_t rule) const noexcept { return is_worth_it(rules_[rule]); }

    /// Takes a run in which the rule did nothing with the job.
    void remember(std::size_t rule, const FieldReads& reads, const FieldSource& source) noexcept;

  private:
    /// Stands for a value of a field: equal for equal values only. 0: the value is not readable, or too long.
    using Number = std::uint32_t;
    using Numbers = std::array<Number, FieldReads::max>;

    /// Lists of reads that a rule's runs had. The first values decide what the rule reads next.
    static constexpr std::size_t max_lists = 4;
    struct List {
        std::vector<FieldRead> reads;
        std::vector<Number> passed = {}; ///< of each job as many as there are reads
        std::size_t oldest = 0;          ///< the job that is replaced next, when all places are taken
    };
    struct Rule {
        bool may_be_left_out = false;
        std::uint32_t noted = 0; ///< times that remember() was called
        std::uint32_t hits = 0;
        std::vector<List> lists = {};
    };
    struct Field {
        std::uint64_t job = 0; ///< the job_ for which `number` is
        Number number = 0;
        Value value; ///< of the last job that had one; a text is in `text`
        std::string text;
        std::unordered_map<std::string, Number> numbers; ///< of values, written as bytes
    };

    [[nodiscard]] static bool is_worth_it(const Rule& rule) noexcept;
    [[nodiscard]] Number number_of(std::size_t field, const FieldSource& source) noexcept;
    [[nodiscard]] Number find_number(Field& field, const Value& value);
    /// False if one of the values has no number.
    [[nodiscard]] bool find_numbers(Numbers& numbers, std::span<const FieldRead> reads,
                                    const FieldSource& source) noexcept;
    void add(List& list, const Numbers& numbers);

    std::uint64_t job_ = 0;
    Number last_number_ = 0;
    std::vector<Rule> rules_;
    std::vector<Field> fields_; ///< in the order of job_fields()
};

} // namespace qg::policy
