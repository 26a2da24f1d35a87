// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/past_period.hpp"

#include "qosgate/base/text.hpp"

#include <array>
#include <cstdint>
#include <set>
#include <string>

namespace qg::cli {
namespace {

Error wrong_period(std::string_view option, std::string_view given) {
    return {ErrorCode::invalid_input,
            text::format("{} {}: write a time before now as 7d or 12h, or a date as 2026-11-20 or "
                         "2026-11-20T09:30",
                         option, text::quoted(given, 60))};
}

/// The moments at which clocks show the time: one; two if they are set back over it; none if they are set
/// forward over it.
std::set<std::time_t> moments_of(const std::tm& shown) {
    std::set<std::time_t> moments;
    for (const int is_dst : {-1, 0, 1}) {
        std::tm parts = shown;
        parts.tm_isdst = is_dst;
        const std::time_t time = mktime(&parts);
        if (time > 0 && parts.tm_mday == shown.tm_mday && parts.tm_hour == shown.tm_hour &&
            parts.tm_min == shown.tm_min && parts.tm_sec == shown.tm_sec)
            moments.insert(time);
    }
    return moments;
}

/// Whether the calendar has the day: not February 30.
bool has_day(std::tm shown) {
    const int day = shown.tm_mday;
    shown.tm_hour = 12;
    shown.tm_isdst = -1;
    return mktime(&shown) > 0 && shown.tm_mday == day;
}

/// The moments of a date, at least one. Errors: `otherwise` if it is none; invalid_input if clocks are set
/// forward over it.
Result<std::set<std::time_t>> parse_date(std::string_view option, std::string_view given,
                                         const Error& otherwise) {
    const std::string text(given);
    struct Form {
        const char* pattern;
        bool is_day;
    };
    for (const auto [pattern, is_day] : {Form{"%Y-%m-%dT%H:%M:%S", false}, Form{"%Y-%m-%dT%H:%M", false},
                                         Form{"%Y-%m-%d %H:%M", false}, Form{"%Y-%m-%d", true}}) {
        std::tm parts{};
        const char* const end = strptime(text.c_str(), pattern, &parts);
        if (end == nullptr || *end != '\0') continue;
        auto moments = moments_of(parts);
        // Where clocks are set forward at midnight, the day begins at one.
        for (; is_day && moments.empty() && has_day(parts) && parts.tm_hour < 3; moments = moments_of(parts))
            ++parts.tm_hour;
        if (!moments.empty()) return moments;
        if (!has_day(parts) || parts.tm_sec > 59) continue;
        return Error{ErrorCode::invalid_input,
                     text::format("{} {}: there is no such time: clocks are set forward over it", option,
                                  text::quoted(given, 60))};
    }
    return otherwise;
}

/// Of a time that comes twice, the last one for an end, else the first.
Result<std::time_t> parse_time(std::string_view option, std::string_view given, std::time_t now,
                               bool is_end) {
    if (given.empty()) return std::time_t{0};
    if (const std::time_t span = parse_span(given); span != 0)
        return span < now ? now - span : std::time_t{1};
    const auto moments = parse_date(option, given, wrong_period(option, given));
    if (!moments) return moments.error();
    return is_end ? *moments->rbegin() : *moments->begin();
}

} // namespace

std::time_t parse_span(std::string_view given) {
    struct Unit {
        char letter;
        std::time_t seconds;
    };
    constexpr std::array<Unit, 5> units{{{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}}};
    constexpr std::uint64_t highest = 100'000'000; // of a number, so that nothing overflows
    if (given.empty()) return 0;
    const auto number = text::parse_unsigned(given.substr(0, given.size() - 1));
    if (!number || *number == 0 || *number > highest) return 0;
    for (const Unit& unit : units)
        if (unit.letter == given.back()) return static_cast<std::time_t>(*number) * unit.seconds;
    return 0;
}

Result<PastPeriod> parse_period(std::string_view since, std::string_view until, std::time_t now) {
    const auto from = parse_time("--since", since, now, /*is_end=*/false);
    if (!from) return from.error();
    const auto to = parse_time("--until", until, now, /*is_end=*/true);
    if (!to) return to.error();
    if (*from > now)
        return Error{ErrorCode::invalid_input,
                     text::format("--since {}: it is in the future", text::quoted(since, 60))};
    if (*to != 0 && *from >= *to) return Error{ErrorCode::invalid_input, "--since must be before --until"};
    return PastPeriod{*from, *to};
}

Result<FutureTime> parse_future(std::string_view option, std::string_view given, std::time_t now) {
    FutureTime future;
    if (const std::time_t span = parse_span(given); span != 0) {
        future.time = now + span;
    } else {
        const Error otherwise{ErrorCode::invalid_input,
                              text::format("{} {}: write a time from now as 7d or 12h, or a date as "
                                           "2026-12-24 or 2026-12-24T18:00",
                                           option, text::quoted(given, 60))};
        const auto moments = parse_date(option, given, otherwise);
        if (!moments) return moments.error();
        future = {*moments->rbegin(), moments->size() > 1};
    }
    if (future.time <= now)
        return Error{ErrorCode::invalid_input,
                     text::format("{} {}: it is not in the future", option, text::quoted(given, 60))};
    return future;
}

} // namespace qg::cli
