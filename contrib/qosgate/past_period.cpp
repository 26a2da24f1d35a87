// SPDX-License-Identifier: GPL-2.0-or-later
#include "past_period.hpp"

#include "qosgate/base/text.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace qg::cli {
namespace {

Error wrong(std::string_view option, std::string_view given) {
    return {ErrorCode::invalid_input,
            text::format("{} {}: write a time before now as 7d or 12h, or a date as 2026-11-20 or "
                         "2026-11-20T09:30",
                         option, text::quoted(given, 60))};
}

/// "7d" in seconds; 0 for another text.
std::time_t parse_span(std::string_view given) {
    struct Unit {
        char letter;
        std::time_t seconds;
    };
    constexpr std::array<Unit, 5> units{{{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}}};
    constexpr std::uint64_t highest = 100'000'000; // of a number, so that nothing overflows
    const auto number = text::parse_unsigned(given.substr(0, given.size() - 1));
    if (!number || *number == 0 || *number > highest) return 0;
    for (const Unit& unit : units)
        if (unit.letter == given.back()) return static_cast<std::time_t>(*number) * unit.seconds;
    return 0;
}

/// Empty: not a date.
std::optional<std::time_t> parse_date(const std::string& given) {
    for (const char* form : {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"}) {
        std::tm parts{};
        parts.tm_isdst = -1;
        const char* const end = strptime(given.c_str(), form, &parts);
        if (end == nullptr || *end != '\0') continue;
        const int day = parts.tm_mday;
        const std::time_t time = mktime(&parts);
        if (parts.tm_mday == day && time > 0) return time; // not February 30
    }
    return std::nullopt;
}

Result<std::time_t> parse_time(std::string_view option, std::string_view given, std::time_t now) {
    if (given.empty()) return std::time_t{0};
    if (const std::time_t span = parse_span(given); span != 0)
        return span < now ? now - span : std::time_t{1};
    if (const auto date = parse_date(std::string(given))) return *date;
    return wrong(option, given);
}

} // namespace

Result<PastPeriod> parse_period(std::string_view since, std::string_view until, std::time_t now) {
    const auto from = parse_time("--since", since, now);
    if (!from) return from.error();
    const auto to = parse_time("--until", until, now);
    if (!to) return to.error();
    if ((*to != 0 && *from >= *to) || *from > now)
        return Error{ErrorCode::invalid_input, "--since must be before --until, and not in the future"};
    return PastPeriod{*from, *to};
}

} // namespace qg::cli
