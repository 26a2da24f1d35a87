// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lua patterns with bounded cost. The interpreter's own matcher backtracks inside C without a bound: a
// pattern like ("a-"):rep(20) .. "b" on a few hundred letters runs for years, and no hook sees it. This
// matcher follows Lua's manual, section 6.4.1, counts its steps and stops when they are spent. Character
// classes are those of the C locale, independent of the daemon's locale.
#pragma once

#include "qosgate/policy/lua/budget.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace qg::policy {

/// One part of the subject that a pattern captured.
struct Capture {
    std::size_t begin;
    std::size_t length;
    bool is_position; ///< "()": begin + 1 is the value
    bool is_open;     ///< "(" met, ")" not yet
};

enum class MatchStatus : std::uint8_t {
    no_match,
    match,
    spent,       ///< the budget is
    bad_pattern, ///< see PatternMatcher::problem()
};

/// Matches one pattern against one subject, any number of times.
/// All members are trivial, so a longjmp may skip it. Threads: not thread-safe. Cost: at most the steps that
/// the budget allows, some nanoseconds each; no allocation; at most 200 nested calls.
class PatternMatcher {
  public:
    static constexpr std::size_t max_captures = 32; ///< as in Lua

    /// `pattern` is without a leading "^". Each step takes one instruction from the budget.
    PatternMatcher(std::string_view subject, std::string_view pattern, Budget& budget) noexcept
        : subject_(subject), pattern_(pattern), budget_(&budget) {}

    /// Whether the pattern matches exactly at this offset of the subject (at most its size).
    MatchStatus match_at(std::size_t begin) noexcept;

    /// Where the last match ended.
    [[nodiscard]] std::size_t end() const noexcept { return end_; }
    [[nodiscard]] std::size_t capture_count() const noexcept { return level_; }
    [[nodiscard]] const Capture& capture(std::size_t index) const noexcept { return captures_[index]; }
    /// The error in the pattern, after bad_pattern.
    [[nodiscard]] const char* problem() const noexcept { return problem_; }

  private:
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
    static constexpr int max_depth = 200;

    /// A place in the subject and one in the pattern.
    struct Cursor {
        std::size_t at;
        std::size_t p;
        bool finish(std::size_t result) noexcept {
            at = result;
            return false;
        }
    };

    std::size_t match(std::size_t at, std::size_t p) noexcept;
    bool advance(Cursor& cursor) noexcept;
    bool advance_single(Cursor& cursor) noexcept;
    bool advance_escaped(Cursor& cursor, char letter) noexcept;
    std::size_t match_repeated(std::size_t at, std::size_t p, std::size_t next, char how) noexcept;
    std::size_t match_balanced(std::size_t at, std::size_t p) noexcept;
    std::size_t match_back_reference(std::size_t at, char digit) noexcept;
    std::size_t match_capture(std::size_t at, std::size_t p, bool is_position) noexcept;
    std::size_t match_capture_end(std::size_t at, std::size_t p) noexcept;
    bool is_frontier(std::size_t at, std::size_t set, std::size_t set_end) noexcept;
    bool matches_single(std::size_t at, std::size_t p, std::size_t next) noexcept;
    bool matches_set(unsigned char c, std::size_t p, std::size_t last) const noexcept;
    std::size_t single_end(std::size_t p) noexcept;
    bool spend(std::size_t steps) noexcept;
    std::size_t fail(MatchStatus status, const char* problem) noexcept;
    [[nodiscard]] bool stopped() const noexcept { return status_ != MatchStatus::match; }

    std::string_view subject_;
    std::string_view pattern_;
    Budget* budget_;
    std::size_t end_ = 0;
    std::size_t level_ = 0;
    int depth_ = 0;
    MatchStatus status_ = MatchStatus::match; ///< anything else ends the whole match
    const char* problem_ = "";
    std::array<Capture, max_captures> captures_; ///< not made ready: the first level_ are in use
};

} // namespace qg::policy
