// SPDX-License-Identifier: GPL-2.0-or-later
//
// PassedValues: for combinations of the values of some fields, the rules that do nothing with such a job. One
// look tells it for all rules.
#pragma once

#include "qosgate/policy/value_numbers.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace qg::policy {

/// Ownership: borrows the values of start_job(). Threads: not thread-safe. Cost of each call: bounded by the
/// constants.
class PassedValues {
  public:
    static constexpr std::size_t max_reads = 24;    ///< that are watched
    static constexpr std::size_t max_rules = 128;   ///< the first ones; it knows nothing of others
    static constexpr std::size_t combinations = 64; ///< that are remembered; a new one replaces another
    /// The jobs of one combination after which they are counted.
    static constexpr std::uint32_t jobs_at_once = 64;

    PassedValues() : combinations_(combinations) {
        reads_.reserve(max_reads);
        columns_.reserve(max_reads);
    }
    PassedValues(const PassedValues&) = delete; // it points into itself
    PassedValues& operator=(const PassedValues&) = delete;

    /// Forgets all, also what it watches.
    void watch_nothing() noexcept;
    /// Watches these, too; none of them if all together were more than max_reads. Call it before the next
    /// job.
    void watch(std::span<const FieldRead> reads) noexcept;
    /// Whether all of these are watched.
    [[nodiscard]] bool watches(std::span<const FieldRead> reads) const noexcept;

    /// Begins with a job, or with one that has changed. `values` are always the same ones.
    void start_job(ValueNumbers& values, const FieldSource& source) noexcept;
    /// Whether the rule does nothing with this job.
    [[nodiscard]] bool has(std::size_t rule) const noexcept {
        return current_ != nullptr && rule < max_rules && current_->rules.has(rule);
    }
    /// The first rule from this one on that may do something.
    [[nodiscard]] std::size_t first_other(std::size_t rule) const noexcept {
        return current_ == nullptr ? rule : current_->rules.first_other(rule);
    }
    /// Remembers that the rule does nothing with jobs of these values. The rule must have read only what is
    /// watched.
    void add(std::size_t rule) noexcept;
    /// How many jobs has() spared the rule; some of the last ones are not counted yet.
    [[nodiscard]] std::uint64_t jobs(std::size_t rule) const noexcept {
        return rule < max_rules ? jobs_[rule] : 0;
    }

  private:
    using Number = ValueNumbers::Number;
    /// A set of rules.
    class Rules {
      public:
        [[nodiscard]] bool has(std::size_t rule) const noexcept {
            return (words_[rule / bits] >> rule % bits & 1u) != 0;
        }
        [[nodiscard]] bool empty() const noexcept { return words_ == Words{}; }
        /// The first one from this one on that is not in the set.
        [[nodiscard]] std::size_t first_other(std::size_t rule) const noexcept {
            while (rule < max_rules) {
                const auto in_a_row =
                    static_cast<std::size_t>(std::countr_one(words_[rule / bits] >> rule % bits));
                rule += in_a_row;
                if (in_a_row == 0 || rule % bits != 0) break;
            }
            return rule;
        }
        void add(std::size_t rule) noexcept { words_[rule / bits] |= std::uint64_t{1} << rule % bits; }
        void clear() noexcept { words_ = {}; }

      private:
        static constexpr std::size_t bits = 64; ///< of a word
        using Words = std::array<std::uint64_t, max_rules / bits>;
        Words words_{};
    };
    /// Two lines of the processor's cache.
    struct alignas(64) Combination {
        Rules rules; ///< none: the place is free
        std::array<Number, max_reads> numbers{};
        std::uint32_t jobs = 0; ///< not counted yet
    };

    void count(Combination& combination) noexcept;
    [[nodiscard]] bool is_of_job(const Combination& combination) const noexcept;

    std::vector<FieldRead> reads_;
    std::vector<ValueNumbers::Column> columns_; ///< of reads_, as soon as a job begins
    std::vector<Combination> combinations_;
    Combination* current_ = nullptr;          ///< of the job; null: it has none yet
    Combination* place_ = nullptr;            ///< where the job's is put; null: a value has no number
    std::array<Number, max_reads> numbers_{}; ///< of the job
    std::array<std::uint64_t, max_rules> jobs_{};
};

} // namespace qg::policy
