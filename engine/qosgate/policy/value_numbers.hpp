// SPDX-License-Identifier: GPL-2.0-or-later
//
// ValueNumbers: numbers that stand for the values of fields, so that values are compared by number.
#pragma once

#include "qosgate/policy/field_reads.hpp"
#include "qosgate/policy/fields.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace qg::policy {

/// Ownership: copies of values. Threads: not thread-safe. Cost of each call: bounded, whatever users send.
class ValueNumbers {
  public:
    /// Within one field, equal numbers mean equal values. 0: the value is not readable, or too long.
    using Number = std::uint32_t;

    /// The bytes of a text; a longer one has no number.
    static constexpr std::size_t max_text = 128;
    /// The values of a field that have a number; then all of them are forgotten.
    static constexpr std::size_t max_values = 32;

    ValueNumbers();
    ValueNumbers(const ValueNumbers&) = delete; // columns point into it
    ValueNumbers& operator=(const ValueNumbers&) = delete;

    /// Begins with a job, or with one that has changed.
    void start_job() noexcept { ++job_; }

  private:
    struct Last;

  public:
    /// Where a read finds its number. It lives as long as what column_of() was asked of.
    class Column {
        friend ValueNumbers;
        bool (*is_set_)(const model::JobRequest& request) noexcept = nullptr; ///< null: the value is read
        Last* last_ = nullptr;
    };
    /// Columns that are first asked for one after the other are read fastest in this order.
    [[nodiscard]] Column column_of(FieldRead read) noexcept;

    /// The number of what the job has. `source` is the job of start_job(), counted.
    [[nodiscard]] Number of(Column column, const FieldSource& source) noexcept;
    [[nodiscard]] Number of(FieldRead read, const FieldSource& source) noexcept {
        return of(column_of(read), source);
    }

  private:
    /// The value of the last job that had one with a number. What each job needs of a field is in one line of
    /// the processor's cache: between two jobs slurmctld does much else.
    struct alignas(64) Last {
        Value (*read)(const FieldSource& source, ErrorText& error) noexcept;
        std::uint64_t job = 0; ///< the job_ for which `number` is
        std::int64_t integer = 0;
        std::string text;
        Number number = 0;
        Value::Kind kind = Value::Kind::nothing;
        std::uint8_t field = 0; ///< its index in job_fields()
    };
    /// A value that has a number.
    struct Known {
        std::uint64_t key = 0; ///< key_of() the value
        Number number = 0;
        Value::Kind kind = Value::Kind::nothing;
        std::string text;
    };
    using Numbers = std::vector<Known>; ///< at most max_values

    [[nodiscard]] Number find_number(Numbers& numbers, const Value& value);
    void renew(Last& last, Numbers& numbers, const Value& value) noexcept;

    std::uint64_t job_ = 0;
    Number last_number_ = 0;
    std::vector<Last> last_;       ///< in the order of the first reads; its storage never moves
    std::vector<Last*> last_of_;   ///< in the order of job_fields(); null: not read yet
    std::vector<Numbers> numbers_; ///< in the order of job_fields()
};

} // namespace qg::policy
