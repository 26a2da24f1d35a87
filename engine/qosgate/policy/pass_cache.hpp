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
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace qg::policy {

/// Ownership: copies of values; what start_job() is given is borrowed until the next call of it.
/// Threads: not thread-safe; the one of its Lua state. Cost of each call: bounded by FieldReads::max and
/// max_key, whatever users send.
class PassCache {
  public:
    /// The bytes of a rule's values; a rule that looks at more runs each time.
    static constexpr std::size_t max_key = 256;
    /// Jobs that are remembered, of all rules; then all are forgotten.
    static constexpr std::size_t max_entries = 256;

    /// For each rule, in the order in which they run, whether it may keep something between calls.
    explicit PassCache(const std::vector<bool>& keeps_state);

    /// Begins with a job, or with one that has changed.
    void start_job() noexcept { ++job_; }

    /// Whether the rule does nothing with this job, for certain. `source` is the job of start_job(), counted.
    [[nodiscard]] bool knows(std::size_t rule, const FieldSource& source) noexcept;

    /// Whether it is worth the time to note what the rule reads in its next run.
    [[nodiscard]] bool wants(std::size_t rule) const noexcept;

    /// Takes a run in which the rule did nothing with the job.
    void remember(std::size_t rule, const FieldReads& reads, const FieldSource& source) noexcept;

  private:
    /// Lists of reads that the rule's runs had; its code decides by the values of the first what comes next.
    static constexpr std::size_t max_lists = 4;

    struct Rule {
        bool may_be_left_out = false;
        std::uint32_t kept = 0; ///< times that remember() was called
        std::uint32_t hits = 0;
        std::vector<std::vector<FieldRead>> lists = {};
    };
    /// The value of a field of the present job.
    struct Known {
        std::uint64_t job = 0; ///< job_ when it was read
        bool is_readable = false;
        Value value;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view key) const noexcept {
            return std::hash<std::string_view>()(key);
        }
    };
    class Key;

    [[nodiscard]] const Known& value_of(std::size_t field, const FieldSource& source) noexcept;
    [[nodiscard]] bool make_key(Key& key, std::size_t rule, std::size_t list,
                                const FieldSource& source) noexcept;

    std::uint64_t job_ = 0;
    std::vector<Rule> rules_;
    std::vector<Known> values_; ///< in the order of job_fields()
    std::unordered_set<std::string, Hash, std::equal_to<>> passed_;
};

} // namespace qg::policy
