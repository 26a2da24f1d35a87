// SPDX-License-Identifier: GPL-2.0-or-later
//
// FieldReads: what a rule looked at in one run, if that was only fields of the job.
#pragma once

#include "qosgate/model/job_details.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace qg::policy {

/// One look at a field: at its value, or at whether the request sets it.
struct FieldRead {
    std::uint8_t field = 0; ///< its index in job_fields()
    model::FieldUse use = model::FieldUse::read;

    friend bool operator==(const FieldRead&, const FieldRead&) = default;
};

/// Ownership: plain values. Threads: not thread-safe.
class FieldReads {
  public:
    static constexpr std::size_t max = 16; ///< fields of one run; with more it counts as not known

    void clear() noexcept {
        count_ = 0;
        is_known_ = true;
    }
    void note(FieldRead read) noexcept {
        const auto known = all();
        if (std::ranges::find(known, read) != known.end()) return;
        if (count_ == max) return note_other();
        reads_[count_++] = read;
    }
    /// The rule has looked at something else.
    void note_other() noexcept { is_known_ = false; }

    /// Whether all that the rule looked at is listed.
    [[nodiscard]] bool is_known() const noexcept { return is_known_; }
    /// In the order of their first reads, each once.
    [[nodiscard]] std::span<const FieldRead> all() const noexcept { return std::span(reads_).first(count_); }

  private:
    std::array<FieldRead, max> reads_{};
    std::size_t count_ = 0;
    bool is_known_ = true;
};

} // namespace qg::policy
