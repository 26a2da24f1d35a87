// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/units.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"

#include <array>
#include <limits>
#include <ostream>

namespace qg {

std::ostream& operator<<(std::ostream& out, TimeLimit limit) {
    return out << units::format_minutes(limit);
}

namespace units {
namespace {

constexpr std::string_view duration_spellings = "minutes, mm:ss, hh:mm:ss, d-hh, d-hh:mm or d-hh:mm:ss";

Error bad_duration(std::string_view text) {
    return {ErrorCode::invalid_input,
            text::format("'{}' is not a time: write {}", text::printable(text), duration_spellings)};
}

/// One number of a duration. Errors: invalid_input, naming the whole duration.
Result<std::uint64_t> duration_part(std::string_view digits, std::uint64_t max, std::string_view whole) {
    const bool are_digits =
        !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
    if (!are_digits) return bad_duration(whole);
    const auto number = text::parse_unsigned(digits);
    if (!number || *number > max)
        return Error{ErrorCode::invalid_input,
                     text::format("'{}' is too large for a time", text::printable(whole))};
    return *number;
}

Error bad_count(std::string_view text, std::string_view what) {
    return {ErrorCode::invalid_input,
            text::format("'{}' is not a {}: write a whole number, with K, M, G, T or P if you like",
                         text::printable(text), what)};
}

/// The power of 1024 that a suffix stands for, relative to no suffix; empty for an unknown suffix.
std::optional<int> suffix_power(char suffix) {
    if (text::is_digit(suffix)) return std::nullopt; // what most counts end with
    constexpr std::string_view suffixes = "KMGTP";
    const char upper = suffix >= 'a' ? static_cast<char>(suffix - 'a' + 'A') : suffix;
    const auto at = suffixes.find(upper);
    if (at == std::string_view::npos) return std::nullopt;
    return static_cast<int>(at) + 1;
}

/// Splits "12G" into 12 and power 3; without a suffix the power is `plain_power`.
std::optional<std::pair<std::uint64_t, int>> split_suffix(std::string_view text, int plain_power) {
    int power = plain_power;
    if (!text.empty()) {
        if (const auto found = suffix_power(text.back())) {
            power = *found;
            text.remove_suffix(1);
        }
    }
    const auto number = text::parse_unsigned(text);
    if (!number) return std::nullopt;
    return std::pair{*number, power};
}

std::optional<std::uint64_t> scale_up(std::uint64_t number, int powers_of_1024) {
    for (int i = 0; i < powers_of_1024; ++i) {
        if (number > std::numeric_limits<std::uint64_t>::max() / 1024) return std::nullopt;
        number *= 1024;
    }
    return number;
}

} // namespace

std::string format_seconds(std::uint64_t seconds) {
    const std::uint64_t days = seconds / 86400;
    const std::string clock =
        text::format("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    return days == 0 ? clock : text::format("{}-{}", days, clock);
}

std::string format_minutes(TimeLimit limit) {
    return limit.is_unlimited() ? "UNLIMITED" : format_seconds(std::uint64_t{limit.minutes} * 60);
}

Result<std::uint64_t> parse_seconds(std::string_view whole, std::uint64_t plain_unit_seconds) {
    std::string_view rest = text::trim(whole);
    std::uint64_t days = 0;
    const auto dash = rest.find('-');
    if (dash != std::string_view::npos) {
        const auto number = duration_part(rest.substr(0, dash), 100'000'000, whole);
        if (!number) return number.error();
        days = *number;
        rest = rest.substr(dash + 1);
    }
    std::array<std::uint64_t, 3> parts{};
    std::size_t count = 0;
    for (std::string_view part : text::split(rest, ':', /*keep_empty=*/true)) {
        if (count == parts.size()) return bad_duration(whole);
        const auto number = duration_part(part, 10'000'000'000, whole);
        if (!number) return number.error();
        parts[count++] = *number;
    }
    // After a day count the first number is hours; without one, "mm", "mm:ss" or "hh:mm:ss".
    if (dash != std::string_view::npos) return days * 86400 + parts[0] * 3600 + parts[1] * 60 + parts[2];
    switch (count) {
    case 1: return parts[0] * plain_unit_seconds;
    case 2: return parts[0] * 60 + parts[1];
    default: return parts[0] * 3600 + parts[1] * 60 + parts[2];
    }
}

Result<TimeLimit> parse_minutes(std::string_view text) {
    const std::string_view trimmed = text::trim(text);
    if (text::iequals(trimmed, "UNLIMITED") || text::iequals(trimmed, "INFINITE"))
        return TimeLimit::unlimited();
    const auto seconds = parse_seconds(trimmed);
    if (!seconds) return seconds.error();
    const std::uint64_t minutes = (*seconds + 59) / 60;
    // The two highest 32-bit numbers mean "none" and UNLIMITED in slurmctld.
    if (minutes >= TimeLimit::unlimited_minutes - 1) return bad_duration(text);
    return TimeLimit{static_cast<std::uint32_t>(minutes)};
}

std::string format_mib(std::uint64_t mib) {
    constexpr std::string_view suffixes = "MGTP";
    std::size_t power = 0;
    while (mib != 0 && mib % 1024 == 0 && power + 1 < suffixes.size()) {
        mib /= 1024;
        ++power;
    }
    return text::format("{}{}", mib, suffixes[power]);
}

Result<std::uint64_t> parse_mib(std::string_view text) {
    constexpr int mib_power = 2;
    const auto parsed = split_suffix(text::trim(text), mib_power);
    if (!parsed) return bad_count(text, "memory size");
    const auto [number, power] = *parsed;
    if (power < mib_power) return number / 1024 + (number % 1024 != 0 ? 1 : 0);
    const auto scaled = scale_up(number, power - mib_power);
    if (!scaled) return bad_count(text, "memory size");
    return *scaled;
}

Result<std::uint64_t> parse_count(std::string_view text) {
    const auto parsed = split_suffix(text::trim(text), 0);
    if (!parsed) return bad_count(text, "count");
    const auto scaled = scale_up(parsed->first, parsed->second);
    if (!scaled) return bad_count(text, "count");
    return *scaled;
}

} // namespace units
} // namespace qg
