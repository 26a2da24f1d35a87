// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/lua/lib/pattern.hpp"

namespace qg::policy {
namespace {

constexpr bool is_between(unsigned char c, char low, char high) noexcept {
    return c >= static_cast<unsigned char>(low) && c <= static_cast<unsigned char>(high);
}
constexpr bool is_lower(unsigned char c) noexcept {
    return is_between(c, 'a', 'z');
}
constexpr bool is_upper(unsigned char c) noexcept {
    return is_between(c, 'A', 'Z');
}
constexpr bool is_digit(unsigned char c) noexcept {
    return is_between(c, '0', '9');
}
constexpr bool is_alpha(unsigned char c) noexcept {
    return is_lower(c) || is_upper(c);
}
constexpr bool is_alnum(unsigned char c) noexcept {
    return is_alpha(c) || is_digit(c);
}
constexpr bool is_graph(unsigned char c) noexcept {
    return is_between(c, '!', '~');
}

/// Whether `c` is in the class that "%letter" names; other letters stand for themselves.
bool matches_class(unsigned char c, unsigned char letter) noexcept {
    const bool inverted = is_upper(letter);
    bool found = false;
    switch (inverted ? letter - 'A' + 'a' : letter) {
    case 'a': found = is_alpha(c); break;
    case 'c': found = c < 0x20 || c == 0x7f; break;
    case 'd': found = is_digit(c); break;
    case 'g': found = is_graph(c); break;
    case 'l': found = is_lower(c); break;
    case 'p': found = is_graph(c) && !is_alnum(c); break;
    case 's': found = c == ' ' || is_between(c, '\t', '\r'); break;
    case 'u': found = is_upper(c); break;
    case 'w': found = is_alnum(c); break;
    case 'x': found = is_digit(c) || is_between(c, 'a', 'f') || is_between(c, 'A', 'F'); break;
    case 'z': found = c == '\0'; break; // no longer in the manual, but in the interpreter
    default: return letter == c;
    }
    return found != inverted;
}

} // namespace

MatchStatus PatternMatcher::match_at(std::size_t begin) noexcept {
    level_ = 0;
    depth_ = 0;
    status_ = MatchStatus::match;
    const std::size_t end = match(begin, 0);
    if (stopped()) return status_;
    if (end == nowhere) return MatchStatus::no_match;
    for (std::size_t i = 0; i < level_; ++i) {
        if (captures_[i].is_open) {
            fail(MatchStatus::bad_pattern, "unfinished capture");
            return status_;
        }
    }
    end_ = end;
    return MatchStatus::match;
}

bool PatternMatcher::spend(std::size_t steps) noexcept {
    if (budget_->take(static_cast<std::int64_t>(steps))) return true;
    fail(MatchStatus::spent, "");
    return false;
}

std::size_t PatternMatcher::fail(MatchStatus status, const char* problem) noexcept {
    status_ = status;
    problem_ = problem;
    return nowhere;
}

/// The end of the single-character item ("a", ".", "%d", "[...]") that begins at `p`.
std::size_t PatternMatcher::single_end(std::size_t p) noexcept {
    const char first = pattern_[p++];
    if (first == '%') {
        if (p >= pattern_.size()) return fail(MatchStatus::bad_pattern, "malformed pattern (ends with '%')");
        return p + 1;
    }
    if (first != '[') return p;
    if (p < pattern_.size() && pattern_[p] == '^') ++p;
    do { // a "]" in first place is a member of the set
        if (p >= pattern_.size()) return fail(MatchStatus::bad_pattern, "malformed pattern (missing ']')");
        if (pattern_[p++] == '%') ++p;
    } while (p >= pattern_.size() || pattern_[p] != ']');
    return p + 1;
}

/// Whether `c` is in the set between "[" at `p` and "]" at `last`.
bool PatternMatcher::matches_set(unsigned char c, std::size_t p, std::size_t last) const noexcept {
    bool found_means = true;
    if (pattern_[p + 1] == '^') {
        found_means = false;
        ++p;
    }
    while (++p < last) {
        const auto member = static_cast<unsigned char>(pattern_[p]);
        if (member == '%') {
            ++p;
            if (matches_class(c, static_cast<unsigned char>(pattern_[p]))) return found_means;
        } else if (pattern_[p + 1] == '-' && p + 2 < last) {
            p += 2;
            if (member <= c && c <= static_cast<unsigned char>(pattern_[p])) return found_means;
        } else if (member == c) {
            return found_means;
        }
    }
    return !found_means;
}

/// Whether the subject's character at `at` is matched by the single-character item in [p, next).
bool PatternMatcher::matches_single(std::size_t at, std::size_t p, std::size_t next) noexcept {
    if (at >= subject_.size()) return false;
    const auto c = static_cast<unsigned char>(subject_[at]);
    switch (pattern_[p]) {
    case '.': return true;
    case '%': return matches_class(c, static_cast<unsigned char>(pattern_[p + 1]));
    case '[': return spend((next - p) / 4) && matches_set(c, p, next - 1);
    default: return static_cast<unsigned char>(pattern_[p]) == c;
    }
}

/// "x*", "x+" (how '*', after one) and "x-": tries the rest of the pattern, behind the sign at `next`.
std::size_t PatternMatcher::match_repeated(std::size_t at, std::size_t p, std::size_t next,
                                           char how) noexcept {
    if (how == '-') {
        for (;; ++at) {
            const std::size_t end = match(at, next + 1);
            if (end != nowhere || stopped()) return end;
            if (!spend(1) || !matches_single(at, p, next)) return nowhere;
        }
    }
    std::size_t count = 0;
    while (matches_single(at + count, p, next)) {
        if (!spend(1)) return nowhere;
        ++count;
    }
    if (stopped()) return nowhere;
    for (;; --count) {
        const std::size_t end = match(at + count, next + 1);
        if (end != nowhere || stopped() || count == 0) return end;
    }
}

/// "%bxy", whose x stands at `p`.
std::size_t PatternMatcher::match_balanced(std::size_t at, std::size_t p) noexcept {
    if (p + 1 >= pattern_.size())
        return fail(MatchStatus::bad_pattern, "malformed pattern (missing arguments to '%b')");
    if (at >= subject_.size() || subject_[at] != pattern_[p]) return nowhere;
    std::size_t nested = 1;
    while (++at < subject_.size()) {
        if (!spend(1)) return nowhere;
        if (subject_[at] == pattern_[p + 1]) {
            if (--nested == 0) return at + 1;
        } else if (subject_[at] == pattern_[p]) {
            ++nested;
        }
    }
    return nowhere;
}

std::size_t PatternMatcher::match_back_reference(std::size_t at, char digit) noexcept {
    const auto index = static_cast<std::size_t>(digit - '1');
    if (digit == '0' || index >= level_ || captures_[index].is_open)
        return fail(MatchStatus::bad_pattern, "invalid capture index in pattern");
    const Capture& capture = captures_[index];
    if (capture.is_position) return nowhere;
    if (!spend(capture.length / 16)) return nowhere;
    if (subject_.substr(at, capture.length) != subject_.substr(capture.begin, capture.length)) return nowhere;
    return at + capture.length;
}

std::size_t PatternMatcher::match_capture(std::size_t at, std::size_t p, bool is_position) noexcept {
    if (level_ >= max_captures) return fail(MatchStatus::bad_pattern, "too many captures");
    captures_[level_] = Capture{at, 0, is_position, !is_position};
    ++level_;
    const std::size_t end = match(at, p);
    if (end == nowhere) --level_;
    return end;
}

std::size_t PatternMatcher::match_capture_end(std::size_t at, std::size_t p) noexcept {
    std::size_t index = level_;
    while (index > 0 && !captures_[index - 1].is_open)
        --index;
    if (index == 0) return fail(MatchStatus::bad_pattern, "invalid pattern capture");
    Capture& capture = captures_[index - 1];
    capture.is_open = false;
    capture.length = at - capture.begin;
    const std::size_t end = match(at, p);
    if (end == nowhere) capture.is_open = true;
    return end;
}

/// "%f[set]": whether a run of the set begins at `at`; both ends of the subject count as '\0'.
bool PatternMatcher::is_frontier(std::size_t at, std::size_t set, std::size_t set_end) noexcept {
    const unsigned char before = at == 0 ? '\0' : static_cast<unsigned char>(subject_[at - 1]);
    const unsigned char here = at < subject_.size() ? static_cast<unsigned char>(subject_[at]) : '\0';
    return spend((set_end - set) / 4) && !matches_set(before, set, set_end - 1) &&
           matches_set(here, set, set_end - 1);
}

/// "x", "x?", "x*", "x+", "x-" at the cursor; as advance().
bool PatternMatcher::advance_single(Cursor& cursor) noexcept {
    const auto [at, p] = cursor;
    const std::size_t next = single_end(p);
    if (next == nowhere) return cursor.finish(nowhere);
    const char sign = next < pattern_.size() ? pattern_[next] : '\0';
    if (sign == '*' || sign == '-') return cursor.finish(match_repeated(at, p, next, sign));
    const bool matched = matches_single(at, p, next);
    if (stopped()) return cursor.finish(nowhere);
    if (sign == '?') {
        const std::size_t end = matched ? match(at + 1, next + 1) : nowhere;
        if (end != nowhere || stopped()) return cursor.finish(end);
        cursor.p = next + 1;
        return true;
    }
    if (!matched) return cursor.finish(nowhere);
    if (sign == '+') return cursor.finish(match_repeated(at + 1, p, next, '*'));
    cursor = {at + 1, next};
    return true;
}

/// "%b", "%f" and "%1" at the cursor; as advance().
bool PatternMatcher::advance_escaped(Cursor& cursor, char letter) noexcept {
    const auto [at, p] = cursor;
    if (letter == 'f') {
        const std::size_t set = p + 2;
        if (set >= pattern_.size() || pattern_[set] != '[') {
            fail(MatchStatus::bad_pattern, "missing '[' after '%f' in pattern");
            return cursor.finish(nowhere);
        }
        const std::size_t set_end = single_end(set);
        if (set_end == nowhere || !is_frontier(at, set, set_end)) return cursor.finish(nowhere);
        cursor.p = set_end;
        return true;
    }
    const std::size_t end = letter == 'b' ? match_balanced(at, p + 2) : match_back_reference(at, letter);
    if (end == nowhere) return cursor.finish(nowhere);
    cursor = {end, p + (letter == 'b' ? 4u : 2u)};
    return true;
}

/// Matches the item at the cursor and moves past it. False: the result of the whole rest is known, and
/// cursor.at is its end or `nowhere`.
bool PatternMatcher::advance(Cursor& cursor) noexcept {
    if (!spend(1)) return cursor.finish(nowhere);
    const auto [at, p] = cursor;
    const char item = pattern_[p];
    const char second = p + 1 < pattern_.size() ? pattern_[p + 1] : '\0';
    if (item == '(' && second == ')') return cursor.finish(match_capture(at, p + 2, /*is_position=*/true));
    if (item == '(') return cursor.finish(match_capture(at, p + 1, /*is_position=*/false));
    if (item == ')') return cursor.finish(match_capture_end(at, p + 1));
    if (item == '$' && p + 1 == pattern_.size()) return cursor.finish(at == subject_.size() ? at : nowhere);
    const bool is_special = second == 'b' || second == 'f' || is_digit(static_cast<unsigned char>(second));
    if (item == '%' && is_special) return advance_escaped(cursor, second);
    return advance_single(cursor);
}

/// The end of a match at `at` of the pattern from `p` on, or `nowhere`. Plain items are matched in a loop;
/// only items that may need backtracking use a nested call.
std::size_t PatternMatcher::match(std::size_t at, std::size_t p) noexcept {
    if (depth_ >= max_depth) return fail(MatchStatus::bad_pattern, "pattern too complex");
    ++depth_;
    Cursor cursor{at, p};
    while (cursor.p < pattern_.size() && advance(cursor)) {
    }
    --depth_;
    return cursor.at;
}

} // namespace qg::policy
