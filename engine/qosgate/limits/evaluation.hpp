// SPDX-License-Identifier: GPL-2.0-or-later
//
// Evaluation: one job in one partition, run through the rows of a stage. It knows the precedence of the QOSs
// (limits/README.md 3.1), whether the evaluation is strict (3.3), and which limits have been applied ("first
// set wins").
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
    as_configured, ///< as set by DenyOnLimit of the job's QOS and of the partition's QOS
    assume_strict, ///< as if DenyOnLimit were set
};

/// The limits that have been applied already, per TRES.
class AppliedLimits {
  public:
    explicit AppliedLimits(std::size_t tres_count) : words_((tres_count + 63) / 64) {
        if (words_ > 1) wide_.resize(words_ * model::tres_limit_count);
    }

    void clear() noexcept {
        narrow_ = {};
        std::fill(wide_.begin(), wide_.end(), 0);
        counts_ = LimitSet();
    }

    [[nodiscard]] bool has(CountLimit limit) const noexcept { return counts_.intersects(limit); }
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

    /// The TRES of a word for which any of `overridden_by` has been applied.
    [[nodiscard]] std::uint64_t hidden_bits(LimitSet overridden_by, std::size_t word) const noexcept {
        std::uint64_t hidden = 0;
        overridden_by.for_each_tres_limit([&](TresLimit limit) { hidden |= bits(limit, word); });
        return hidden;
    }
    /// Whether any of `overridden_by` has been applied.
    [[nodiscard]] bool hides(LimitSet overridden_by) const noexcept {
        return counts_.intersects(overridden_by);
    }

  private:
    std::size_t words_;
    // A row of words per TresLimit. Nearly every cluster has few enough TRES for a single word.
    std::array<std::uint64_t, model::tres_limit_count> narrow_{};
    std::vector<std::uint64_t> wide_; ///< empty if one word is enough
    LimitSet counts_;
};

/// A limit after LimitFactor, cut to a whole number (limits/README.md 3.4).
[[nodiscard]] inline std::uint64_t scale_limit(std::uint64_t value, double factor) noexcept {
    return saturate(static_cast<double>(value) * factor);
}

/// A time after UsageFactor.
struct ScaledTime {
    std::uint32_t minutes;
    unsigned times = 0; ///< how many times it was multiplied
};

/// One QOS or association while its rows run.
struct OwnerView {
    Owner owner;
    const model::Limits& limits;
    const model::Usage& usage;
    const model::Usage& user_usage;
    const model::Usage& account_usage;
    bool usage_lasts; ///< past usage never decays
};

/// Ownership: borrows view and job, which outlive it. Threads: not shared.
class Evaluation {
  public:
    /// The job in `view.partitions[partition]` (or in none if the view has no partitions).
    /// `time` is the time limit known so far.
    Evaluation(const model::AccountView& view, const model::ResolvedJob& job, std::size_t partition,
               Release release, Strictness strictness);

    /// Resets it for a job with this time limit: no limit has been applied.
    void begin_stage(std::optional<TimeLimit> known_time, bool is_set_by_limit) {
        time = known_time;
        time_set_by_limit = is_set_by_limit;
        time_trimmed_by.reset();
        applied.clear();
    }

    /// Whether the owner sets a limit of the row, and the row counts for it in this release.
    [[nodiscard]] bool applies(const Row& row, const OwnerView& owner,
                               bool reads_users_limits) const noexcept {
        return owner.limits.has_any(row.reads) && (row.rule == nullptr || release.follows(*row.rule)) &&
               (reads_users_limits || !row.is_of_users_alone());
    }

    /// Runs a stage. Adds every violated limit to `found`, in Slurm's order, except limits that may not be
    /// shown.
    void run(const Stage& stage, std::vector<Violation>& found);
    /// The same, including limits that may not be shown.
    void find_all(const Stage& stage, std::vector<Violation>& found);
    /// Whether the reader may see a limit. Not if the limit belongs to the QOS of a partition that is hidden
    /// from the reader, or is compared with a value that results from such a partition.
    [[nodiscard]] bool may_be_shown(const Violation& violation) const noexcept;

    // What the checks need.
    const model::AccountView& view;
    const model::ResolvedJob& job;
    const Release release;
    const model::TresCounts* counts; ///< the job's size at this stage; points into `job`
    bool operator_overrides = false; ///< limits of TRES that an operator set are skipped
    bool strict = false;
    bool counts_time_min = false;     ///< minutes are those of --time-min, if the job may start with it
    bool job_qos_scales_time = false; ///< UsageFactorSafe on the job's QOS
    double usage_factor = 1.0;        ///< of the job's QOS
    TimeLimit partition_max_time = TimeLimit::unlimited();
    TimeLimit max_to_cut = TimeLimit::unlimited(); ///< --time-min counts below this
    std::optional<TimeLimit> time; ///< the job's limit; checks of the submit stage may set or trim it
    bool time_set_by_limit = false;
    /// The pre-select stage: the association to whose wall limits the job's time was reduced; this also holds
    /// for all associations above it. Empty: none yet.
    std::optional<std::size_t> time_trimmed_by;
    /// The pre-select stage: the job's time after the current QOS multiplied it; empty before that.
    std::optional<ScaledTime> time_of_owner;
    AppliedLimits applied;

    /// At most two QOSs in order of precedence; indices into the view.
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

    /// Calls `body(owner, reads_users_limits)` for the associations that have limits, from the user to the
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

    /// The TRES of a word for which a row's limit counts: `owner` sets it, and no other limit hides it. They
    /// are kept if the row hides later values.
    [[nodiscard]] std::uint64_t take_bits(const Row& row, const OwnerView& owner, std::size_t word) {
        const TresLimit limit = *std::get_if<TresLimit>(&row.limit);
        std::uint64_t bits =
            owner.limits.set_bits(limit, word) & ~applied.hidden_bits(row.overridden_by, word);
        if (row.hides_later) {
            bits &= ~applied.bits(limit, word);
            applied.add_bits(limit, word, bits);
        }
        return bits;
    }
    /// LimitFactor, if there is one and the row applies it.
    [[nodiscard]] std::optional<double> factor_of(const Row& row) const noexcept {
        if (row.scaled == Scaled::no) return std::nullopt;
        return row.scaled == Scaled::by_any_qos || is_first_factor_ ? limit_factor_ : std::nullopt;
    }

    /// The value of a row's limit, if it counts. It is kept likewise.
    [[nodiscard]] std::optional<std::uint64_t> take(const Row& row, const OwnerView& owner) {
        const auto value = peek(row, owner);
        if (value && row.hides_later) applied.add(*std::get_if<CountLimit>(&row.limit));
        return value;
    }
    /// The same without keeping it.
    [[nodiscard]] std::optional<std::uint64_t> peek(const Row& row, const OwnerView& owner) const {
        const CountLimit limit = *std::get_if<CountLimit>(&row.limit);
        if (applied.hides(row.overridden_by) || (row.hides_later && applied.has(limit))) return std::nullopt;
        return owner.limits.get(limit);
    }

  private:
    void add_qos(std::size_t index) noexcept;
    [[nodiscard]] std::uint64_t find_asked_bits(std::size_t word) const noexcept;
    [[nodiscard]] std::uint64_t find_operator_bits(std::size_t word) const noexcept;
    void run_rows(std::span<const Row> rows, const OwnerView& owner, bool reads_users_limits,
                  std::vector<Violation>& found);

    std::uint64_t first_asked_ = 0;                   ///< asked_bits(0) while a stage runs
    const model::TresCounts* asked_counts_ = nullptr; ///< the counts that asked_bits was made from
    std::array<std::size_t, 2> qos_order_{};
    std::size_t qos_count_ = 0;
    std::optional<std::size_t> hidden_qos_; ///< its limits may not be shown
    std::optional<double> limit_factor_;
    bool is_first_factor_ = false; ///< of the first QOS
};

} // namespace qg::limits
