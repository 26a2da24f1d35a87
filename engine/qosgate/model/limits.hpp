// SPDX-License-Identifier: GPL-2.0-or-later
//
// The limits that a QOS or an association can set on jobs (limits/README.md 1.1), under sacctmgr's names.
#pragma once

#include "qosgate/base/enumerators.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

namespace qg::model {

// A limit is an enumerator here and its row in limit_facts.hpp, which says everything that follows from it.

/// Limits that have one value per TRES. "mins" limits count TRES x minutes.
enum class TresLimit : std::uint8_t {
    max_tres_per_job,
    max_tres_per_node,
    max_tres_per_user,
    max_tres_per_account,
    grp_tres,
    max_tres_mins_per_job,
    grp_tres_mins,
    grp_tres_run_mins,
    max_tres_run_mins_per_account,
    max_tres_run_mins_per_user,
    min_tres_per_job,
};
inline constexpr std::size_t tres_limit_count = count_enumerators<TresLimit>();

/// Limits that have one value: counts of jobs, and wall times in minutes.
/// Only associations have `max_jobs` and `max_submit_jobs`; only QOSs have the per-user and per-account ones.
enum class CountLimit : std::uint8_t {
    grp_jobs,
    max_jobs,
    max_jobs_per_user,
    max_jobs_per_account,
    grp_submit_jobs,
    max_submit_jobs,
    max_submit_jobs_per_user,
    max_submit_jobs_per_account,
    max_wall,
    grp_wall,
};
inline constexpr std::size_t count_limit_count = count_enumerators<CountLimit>();

/// Any limit.
using LimitId = std::variant<TresLimit, CountLimit>;

/// sacctmgr's name: "MaxTRESPerUser", "MaxWall".
std::string_view name_of(TresLimit limit) noexcept;
std::string_view name_of(CountLimit limit) noexcept;
std::string_view name_of(const LimitId& limit) noexcept;

/// The limit with a sacctmgr name, ASCII case ignored; empty if there is none.
std::optional<TresLimit> find_tres_limit(std::string_view name) noexcept;
std::optional<CountLimit> find_count_limit(std::string_view name) noexcept;

/// A set of limits, one bit each.
class LimitSet {
  public:
    constexpr LimitSet() = default;
    // Limits and lists of limits convert to sets implicitly.
    constexpr LimitSet(TresLimit limit) noexcept : bits_(1u << static_cast<unsigned>(limit)) {}
    constexpr LimitSet(CountLimit limit) noexcept
        : bits_(1u << (tres_limit_count + static_cast<unsigned>(limit))) {}
    constexpr LimitSet(const LimitId& limit) noexcept {
        *this = std::visit([](auto id) { return LimitSet(id); }, limit);
    }
    constexpr LimitSet(std::initializer_list<TresLimit> limits) noexcept {
        for (TresLimit limit : limits)
            *this += limit;
    }
    constexpr LimitSet(std::initializer_list<CountLimit> limits) noexcept {
        for (CountLimit limit : limits)
            *this += limit;
    }

    static constexpr LimitSet all() noexcept {
        LimitSet all;
        all.bits_ = (1u << (tres_limit_count + count_limit_count)) - 1;
        return all;
    }

    constexpr LimitSet& operator+=(LimitSet other) noexcept {
        bits_ |= other.bits_;
        return *this;
    }
    friend constexpr LimitSet operator+(LimitSet a, LimitSet b) noexcept { return a += b; }
    friend constexpr bool operator==(LimitSet, LimitSet) = default;
    [[nodiscard]] constexpr bool intersects(LimitSet other) const noexcept {
        return (bits_ & other.bits_) != 0;
    }
    [[nodiscard]] constexpr bool has_all(LimitSet other) const noexcept {
        return (bits_ & other.bits_) == other.bits_;
    }
    [[nodiscard]] constexpr bool is_empty() const noexcept { return bits_ == 0; }

    /// Calls `body(limit)` for each TresLimit in the set.
    template <typename Body>
    constexpr void for_each_tres_limit(Body body) const {
        for (std::uint32_t rest = bits_ & ((1u << tres_limit_count) - 1); rest != 0; rest &= rest - 1)
            body(static_cast<TresLimit>(std::countr_zero(rest)));
    }

  private:
    std::uint32_t bits_ = 0;
};

/// All limits of one QOS or association. Unset and zero are different; "unlimited" is unset
/// (limits/README.md 1.2). TRES values are in the order of the TresCatalogue they were made for.
class Limits {
  public:
    Limits() = default;
    explicit Limits(std::size_t tres_count) : tres_count_(tres_count) {}

    [[nodiscard]] std::optional<std::uint64_t> get(TresLimit limit, std::size_t tres) const noexcept {
        const std::uint64_t value = raw(limit, tres);
        return value == unset ? std::nullopt : std::optional(value);
    }
    [[nodiscard]] std::optional<std::uint64_t> get(CountLimit limit) const noexcept {
        const std::uint64_t value = counts_[index(limit)];
        return value == unset ? std::nullopt : std::optional(value);
    }

    /// Whether any TRES of this limit is set; lets loops skip whole rows.
    [[nodiscard]] bool has_any(TresLimit limit) const noexcept { return has_any(LimitSet(limit)); }

    /// Whether any of these is set.
    [[nodiscard]] bool has_any(LimitSet limits) const noexcept { return set_.intersects(limits); }

    /// The limits that are set.
    [[nodiscard]] LimitSet which() const noexcept { return set_; }

    /// Whether anything is set.
    [[nodiscard]] bool has_any() const noexcept { return !set_.is_empty(); }

    /// Which of the TRES 64 x word, 64 x word + 1, ... are set in this limit, lowest bit first.
    [[nodiscard]] std::uint64_t set_bits(TresLimit limit, std::size_t word) const noexcept {
        return has_any(limit) && word < words() ? rows_[row(limit) + word] : 0;
    }

    /// The values of this limit by TRES; values of TRES that are not set have no meaning. Empty if none is
    /// set.
    [[nodiscard]] std::span<const std::uint64_t> values(TresLimit limit) const noexcept {
        if (!has_any(limit)) return {};
        return {&rows_[row(limit) + words()], tres_count_};
    }

    /// Sets one value. `tres` must be below the tres_count given at construction.
    void set(TresLimit limit, std::size_t tres, std::uint64_t value);
    void set(CountLimit limit, std::uint64_t value) noexcept {
        counts_[index(limit)] = value;
        if (value != unset) set_ += limit;
    }

    [[nodiscard]] std::size_t tres_count() const noexcept { return tres_count_; }

  private:
    static constexpr std::uint64_t unset = ~std::uint64_t{0};
    static constexpr std::size_t index(TresLimit limit) noexcept { return static_cast<std::size_t>(limit); }
    static constexpr std::size_t index(CountLimit limit) noexcept { return static_cast<std::size_t>(limit); }

    void add_row(TresLimit limit);
    void reserve_rows(std::size_t count);

    [[nodiscard]] std::size_t words() const noexcept { return (tres_count_ + 63) / 64; }
    [[nodiscard]] std::size_t row_size() const noexcept { return words() + tres_count_; }
    /// The beginning of a limit's row. The limit must have one.
    [[nodiscard]] std::size_t row(TresLimit limit) const noexcept {
        return row_of_[index(limit)] * row_size();
    }
    [[nodiscard]] std::uint64_t raw(TresLimit limit, std::size_t tres) const noexcept {
        return has_any(limit) && tres < tres_count_ ? rows_[row(limit) + words() + tres] : unset;
    }

    static constexpr std::array<std::uint64_t, count_limit_count> all_unset() noexcept {
        std::array<std::uint64_t, count_limit_count> counts{};
        counts.fill(unset);
        return counts;
    }

    std::size_t tres_count_ = 0;
    LimitSet set_; ///< for a TresLimit: a value of its row is set
    /// A row per TresLimit that was set, in that order: first the words with a bit for each value that is
    /// set, then the values. Views are copied for every job, and limits rarely change after they were read,
    /// so copies share the rows until one copy changes.
    std::shared_ptr<std::uint64_t[]> rows_;
    std::uint8_t row_count_ = 0;
    std::uint8_t row_capacity_ = 0;
    std::array<std::uint8_t, tres_limit_count> row_of_{}; ///< the row of each limit in set_
    std::array<std::uint64_t, count_limit_count> counts_ = all_unset();
};

} // namespace qg::model
