// SPDX-License-Identifier: GPL-2.0-or-later
//
// Evaluation: one job in one partition, run through the rows of a stage. It knows the precedence of the QOSs
// (limits/README.md 3.1), whether the evaluation is strict (3.3), and which limits have been met ("first set
// wins").
#pragma once

#include "qosgate/base/saturate.hpp"
#include "qosgate/limits/row.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/resolved_job.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

namespace qg::limits {

/// Whether limits refuse at submission (limits/README.md 3.3).
enum class Strictness : std::uint8_t {
    as_configured, ///< as DenyOnLimit of the job's QOS and the partition's QOS says
    assume_strict, ///< as if DenyOnLimit were set
};

/// Remembers which limits have been met already, per TRES.
class MetLimits {
  public:
    explicit MetLimits(std::size_t tres_count) : words_((tres_count + 63) / 64) {
        if (words_ > 1) wide_.resize(words_ * model::tres_limit_count);
    }

    void clear() noexcept {
        narrow_ = {};
        std::fill(wide_.begin(), wide_.end(), 0);
        counts_ = {};
    }

    [[nodiscard]] bool has(CountLimit limit) const noexcept { return counts_.meets(limit); }
    void add(CountLimit limit) noexcept { counts_ += limit; }

    // The same for 64 TRES at once: a bit per TRES, as in Limits::set_bits().
    [[nodiscard]] std::size_t words() const noexcept { return words_; }
    [[nodiscard]] std::uint64_t bits(TresLimit limit, std::size_t word) const noexcept {
        const auto row = static_cast<std::size_t>(limit);
        return words_ > 1 ? wide_[row * words_ + word] : narrow_[row];
    }
    void add_bits(TresLimit limit, std::size_t word, std::uint64_t bits) noexcept {
        const auto row = static_cast<std::size_t>(limit);
        (words_ > 1 ? wide_[row * words_ + word] : narrow_[row]) |= bits;
    }

    /// For which TRES of a word any of `hidden_by` has been met.
    [[nodiscard]] std::uint64_t hidden_bits(LimitSet hidden_by, std::size_t word) const noexcept {
        std::uint64_t hidden = 0;
        hidden_by.for_each_tres_limit([&](TresLimit limit) { hidden |= bits(limit, word); });
        return hidden;
    }
    /// Whether any of `hidden_by` has been met.
    [[nodiscard]] bool hides(LimitSet hidden_by) const noexcept { return counts_.meets(hidden_by); }

  private:
    std::size_t words_;
    // A row of words per TresLimit; hardly any cluster has more TRES than one word tells apart.
    std::array<std::uint64_t, model::tres_limit_count> narrow_{};
    std::vector<std::uint64_t> wide_; ///< empty unless there are several words
    LimitSet counts_;
};

/// A limit after LimitFactor, cut to a whole number (limits/README.md 3.4).
[[nodiscard]] inline std::uint64_t scale_limit(std::uint64_t value, double factor) noexcept {
    return saturate(static_cast<double>(value) * factor);
}

/// A time after UsageFactor.
struct ScaledTime {
    std::uint32_t minutes;
    unsigned times = 0; ///< how often it was multiplied
};

/// One QOS or association while its rows run.
struct OwnerView {
    Owner owner;
    const model::Limits& limits;
    const model::Usage& usage;
    const model::Usage& user_usage;
    const model::Usage& account_usage;
    bool usage_lasts; ///< what was used in the past never comes back
};

/// Ownership: borrows view and job, which outlive it. Threads: not shared.
class Evaluation {
  public:
    /// The job in `view.partitions[partition]` (or in none, where the view has no partitions).
    /// `time` is the time limit known so far.
    Evaluation(const model::AccountView& view, const model::ResolvedJob& job, std::size_t partition,
               Release release, Strictness strictness);

    /// Makes it as new for a job with this time limit: no limit has been met.
    void begin_stage(std::optional<TimeLimit> known_time, bool is_set_by_limit) {
        time = known_time;
        time_set_by_limit = is_set_by_limit;
        met.clear();
    }

    /// Runs a stage. Every violated limit is added to `found`, in Slurm's order, but none that is not told.
    void run(const Stage& stage, std::vector<Violation>& found);
    /// The same with those that are not told.
    void find_all(const Stage& stage, std::vector<Violation>& found);
    /// Whether the reader may know of a limit: not if it is of the QOS of a partition that is hidden from it.
    [[nodiscard]] bool is_told(const Violation& violation) const noexcept {
        return violation.owner.kind != OwnerKind::qos || violation.owner.index != hidden_qos_;
    }

    // What the checks need.
    const model::AccountView& view;
    const model::ResolvedJob& job;
    const Release release;
    const model::TresCounts* counts; ///< what the job comes to at this stage; points into `job`
    bool operator_overrides = false; ///< limits of TRES that an operator set are skipped
    bool strict = false;
    bool job_qos_scales_time = false; ///< UsageFactorSafe on the job's QOS
    double usage_factor = 1.0;        ///< of the job's QOS
    TimeLimit partition_max_time = TimeLimit::unlimited();
    std::optional<TimeLimit> time; ///< the job's limit; checks of the submit stage may set or trim it
    bool time_set_by_limit = false;
    /// The pre-select stage: the job's time as the QOS at hand counts it; empty until it was multiplied.
    std::optional<ScaledTime> time_of_owner;
    MetLimits met;

    /// The QOSs, two at most, in order of precedence; indices into the view.
    [[nodiscard]] std::span<const std::size_t> qos_order() const noexcept {
        return {qos_order_.data(), qos_count_};
    }

    /// Calls `body(owner)` for the QOSs in order of precedence.
    template <typename Body>
    void for_each_qos(Body body) const {
        for (const std::size_t index : qos_order()) {
            const model::Qos& qos = view.qos[index];
            body(OwnerView{{OwnerKind::qos, index},
                           qos.limits,
                           qos.usage,
                           qos.user_usage,
                           qos.account_usage,
                           qos.flags.no_decay || view.usage_lasts});
        }
    }

    /// Calls `body(owner, is_user_level)` for the associations that limit anything, from the user to the
    /// root.
    template <typename Body>
    void for_each_association(Body body) const {
        for (std::size_t i = 0; i < view.associations.size(); ++i) {
            const model::Association& link = view.associations[i];
            if (!link.limits.has_any()) continue;
            body(OwnerView{{OwnerKind::association, i},
                           link.limits,
                           link.usage,
                           link.usage,
                           link.usage,
                           view.usage_lasts},
                 link.level == model::AssociationLevel::user);
        }
    }

    /// The TRES of a word that an operator set.
    [[nodiscard]] std::uint64_t operator_bits(std::size_t word) const noexcept {
        return job.operator_set_tres.empty() ? 0 : find_operator_bits(word);
    }

    /// The TRES of a word that the job asks for.
    [[nodiscard]] std::uint64_t asked_bits(std::size_t word) const noexcept {
        return word == 0 ? first_asked_ : find_asked_bits(word);
    }

    /// For which TRES of a word a row's limit counts: set by `owner`, and hidden by nothing. They are
    /// remembered where the row says so.
    [[nodiscard]] std::uint64_t take_bits(const Row& row, const OwnerView& owner, std::size_t word) {
        const TresLimit limit = *std::get_if<TresLimit>(&row.limit);
        std::uint64_t bits = owner.limits.set_bits(limit, word) & ~met.hidden_bits(row.hidden_by, word);
        if (row.remembers) {
            bits &= ~met.bits(limit, word);
            met.add_bits(limit, word, bits);
        }
        return bits;
    }
    /// LimitFactor, where there is one that the row honours.
    [[nodiscard]] std::optional<double> factor_of(const Row& row) const noexcept {
        if (row.scaled == Scaled::no) return std::nullopt;
        return row.scaled == Scaled::by_any_qos || is_first_factor_ ? limit_factor_ : std::nullopt;
    }

    /// The value of a row's limit, if it counts; remembered likewise.
    [[nodiscard]] std::optional<std::uint64_t> take(const Row& row, const OwnerView& owner) {
        const auto value = peek(row, owner);
        if (value && row.remembers) met.add(*std::get_if<CountLimit>(&row.limit));
        return value;
    }
    /// The same without remembering it.
    [[nodiscard]] std::optional<std::uint64_t> peek(const Row& row, const OwnerView& owner) const {
        const CountLimit limit = *std::get_if<CountLimit>(&row.limit);
        if (met.hides(row.hidden_by) || (row.remembers && met.has(limit))) return std::nullopt;
        return owner.limits.get(limit);
    }

  private:
    void add_qos(std::size_t index) noexcept;
    [[nodiscard]] std::uint64_t find_asked_bits(std::size_t word) const noexcept;
    [[nodiscard]] std::uint64_t find_operator_bits(std::size_t word) const noexcept;
    void run_rows(std::span<const Row> rows, const OwnerView& owner, bool is_user_level,
                  std::vector<Violation>& found);

    std::uint64_t first_asked_ = 0;                   ///< asked_bits(0) while a stage runs
    const model::TresCounts* asked_counts_ = nullptr; ///< the counts it is of
    std::array<std::size_t, 2> qos_order_{};
    std::size_t qos_count_ = 0;
    std::optional<std::size_t> hidden_qos_; ///< whose limits nobody is told of
    std::optional<double> limit_factor_;
    bool is_first_factor_ = false; ///< of the first QOS
};

} // namespace qg::limits
