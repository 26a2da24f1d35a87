// SPDX-License-Identifier: GPL-2.0-or-later
//
// Comparison: one row of one owner while its check runs. Also functions that checks in several files share.
#pragma once

#include "qosgate/limits/evaluation.hpp"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace qg::limits {

/// Ownership: borrows everything during the check.
struct Comparison {
    Evaluation& evaluation;
    const Row& row;
    const OwnerView& owner;
    std::vector<Violation>& found;

    /// The job's size at this stage.
    [[nodiscard]] const model::TresCounts& counts() const { return *evaluation.counts; }
    /// The TRES of a word that an operator set, if this row skips those.
    [[nodiscard]] std::uint64_t exempt_bits(std::size_t word) const {
        return evaluation.operator_overrides && !row.ignores_operator_override
                   ? evaluation.operator_bits(word)
                   : 0;
    }
    [[nodiscard]] const model::Usage& usage() const { return model::usage_in_scope(owner, row.usage_of()); }

    [[nodiscard]] bool is_of_association() const { return owner.owner.kind == OwnerKind::association; }

    [[gnu::cold]] void add(TresLimit limit, std::size_t tres, std::uint64_t asked, std::uint64_t value,
                           std::uint64_t used, Relation relation) const;
    [[gnu::cold]] void add(CountLimit limit, std::uint64_t asked, std::uint64_t value, std::uint64_t used,
                           Relation relation) const;
};

/// Whether minutes that were used, or are still to be used, count for a limit of this row. A job under a QOS
/// with UsageFactor 0 is charged nothing, so only those of the user count against it (limits/README.md 5.3).
[[nodiscard]] inline bool counts_minutes(const Evaluation& evaluation, const Row& row) noexcept {
    return evaluation.usage_factor != 0.0 || row.usage_of() == LimitScope::user;
}

/// Calls `body(tres)` for each bit of a word.
template <typename Body>
void for_each_bit(std::size_t word, std::uint64_t bits, Body body) {
    for (; bits != 0; bits &= bits - 1)
        body(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
}

/// The TRES for which a limit is compared.
enum class Which : std::uint8_t { all, asked_for };

/// The values after LimitFactor.
[[gnu::cold]] std::vector<std::uint64_t> scale_limits(std::span<const std::uint64_t> values, double factor);

/// Calls `body(tres, limit value)` for every TRES whose limit counts here. A TRES that the job does not ask
/// for never exceeds a maximum.
template <typename Body>
void for_each_limit(const Comparison& at, TresLimit limit, Which which, Body body) {
    auto values = at.owner.limits.values(limit);
    std::vector<std::uint64_t> scaled;
    if (const auto factor = at.evaluation.factor_of(at.row)) values = scaled = scale_limits(values, *factor);
    for (std::size_t word = 0; word < at.evaluation.applied.words(); ++word) {
        std::uint64_t bits = at.evaluation.take_bits(at.row, at.owner, word) & ~at.exempt_bits(word);
        if (which == Which::asked_for) bits &= at.evaluation.asked_bits(word);
        for_each_bit(word, bits, [&](std::size_t tres) { body(tres, values[tres]); });
    }
}

/// Calls `body(tres, limit value, count)` likewise, for the TRES that the job asks for.
template <typename Body>
void for_each_asked(const Comparison& at, TresLimit limit, Body body) {
    const std::span counts = at.counts();
    for_each_limit(at, limit, Which::asked_for,
                   [&](std::size_t tres, std::uint64_t value) { body(tres, value, counts[tres]); });
}

/// The relation of a limit on minutes, which leaves too few, to the minutes `used` by jobs in the past.
/// Minutes that running jobs may still use are ignored: jobs that end early return them.
Relation relate_to_past(const Comparison& at, std::uint64_t asked, std::uint64_t limit, std::uint64_t used);

} // namespace qg::limits
