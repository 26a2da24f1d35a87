// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/catalogue.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/reason.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <algorithm>
#include <utility>

namespace qg::limits {
namespace {

using model::LimitFacts;
using model::LimitMeasure;

/// Whether waiting can help a job that breaks a limit.
std::string_view waiting_of(const LimitFacts& facts) {
    if (facts.sense == model::LimitSense::minimum)
        return "Waiting does not help: the job itself is too small.";
    if (!facts.counts_others()) return "Waiting does not help: the job itself is too large.";
    if (facts.counts_the_past())
        return "Waiting helps only as far as past usage decays or is reset at this site.";
    if (facts.measure == LimitMeasure::submitted_jobs)
        return "Submit again when some of these jobs have ended.";
    return "The job starts when enough of the running jobs that count here have ended, "
           "unless it is above the limit by itself.";
}

constexpr OwnerKind owner_kinds[] = {OwnerKind::qos, OwnerKind::association};

template <typename Visit>
void for_each_token(Visit visit) {
    for (OwnerKind owner : owner_kinds) {
        for (const LimitFacts& facts : model::limit_facts) {
            if (const auto* count = std::get_if<CountLimit>(&facts.limit)) {
                visit(reason_of(owner, *count), owner, facts.limit, std::optional<model::TresKind>());
                continue;
            }
            for (std::size_t kind = 0; kind < model::tres_kind_count; ++kind)
                visit(reason_of(owner, std::get<TresLimit>(facts.limit), static_cast<model::TresKind>(kind)),
                      owner, facts.limit, std::optional(static_cast<model::TresKind>(kind)));
        }
    }
}

} // namespace

LimitText text_of(const LimitId& limit) noexcept {
    const LimitFacts& facts = model::facts_of(limit);
    return {facts.words.meaning, waiting_of(facts), facts.words.change};
}

Noun tres_noun(std::string_view name) {
    const auto after_slash = name.substr(std::min(name.find('/') + 1, name.size()));
    const auto with_s = [](std::string singular) {
        std::string plural = singular + "s";
        return Noun{std::move(singular), std::move(plural)};
    };
    const auto uncounted = [](std::string noun) { return Noun{noun, noun}; };
    switch (model::kind_of(name)) {
    case model::TresKind::cpu: return with_s("CPU");
    case model::TresKind::mem: return uncounted("memory");
    case model::TresKind::energy: return uncounted("energy");
    case model::TresKind::node: return with_s("node");
    case model::TresKind::billing: return with_s("billing unit");
    case model::TresKind::bb: return uncounted(text::format("burst buffer {}", after_slash));
    case model::TresKind::license: return with_s(text::format("{} license", after_slash));
    case model::TresKind::gres: {
        constexpr std::string_view gpu = "gpu";
        if (after_slash == gpu) return with_s("GPU");
        if (after_slash.starts_with("gpu:"))
            return with_s(text::format("{} GPU", after_slash.substr(gpu.size() + 1)));
        return uncounted(std::string(name));
    }
    case model::TresKind::other: return uncounted(std::string(name));
    }
    return uncounted(std::string(name));
}

std::string format_count(std::string_view tres_name, std::uint64_t count) {
    constexpr std::uint64_t infinite = 0xffffffffu; // Slurm's INFINITE
    if (count == infinite && model::kind_of(tres_name) == model::TresKind::node)
        return "INFINITE, which slurmctld sets if the first partition of a list is closed to the job";
    return model::format_tres_count(tres_name, count);
}

std::string format_amount(std::string_view tres_name, std::uint64_t count) {
    const Noun noun = tres_noun(tres_name);
    if (count == 0) return "no " + noun.plural;
    const std::string number = model::format_tres_count(tres_name, count);
    if (model::kind_of(tres_name) == model::TresKind::mem) return number + " of memory";
    return text::format("{} {}", number, count == 1 ? noun.singular : noun.plural);
}

std::string subject_of(const LimitId& limit, std::string_view tres_name) {
    const LimitFacts& facts = model::facts_of(limit);
    const std::string_view phrase = facts.words.phrase;
    switch (facts.measure) {
    case LimitMeasure::tres: return text::format("{} {}", tres_noun(tres_name).plural, phrase);
    case LimitMeasure::tres_minutes:
    case LimitMeasure::tres_run_minutes:
        return text::format("{} minutes {}", tres_noun(tres_name).singular, phrase);
    case LimitMeasure::wall: return text::format("wall time {}", phrase);
    case LimitMeasure::running_jobs:
    case LimitMeasure::submitted_jobs: break;
    }
    return std::string(phrase);
}

std::string format_time(std::uint64_t minutes) {
    // slurmctld computes with these if a job has no time limit, and if its limit is UNLIMITED.
    const bool is_without_end = minutes >= TimeLimit::unlimited_minutes - 1;
    return units::format_minutes(is_without_end ? TimeLimit::unlimited()
                                                : TimeLimit{static_cast<std::uint32_t>(minutes)});
}

std::string format_limit_value(const LimitId& limit, std::string_view tres_name, std::uint64_t value) {
    switch (model::facts_of(limit).measure) {
    case LimitMeasure::tres: return format_count(tres_name, value);
    case LimitMeasure::wall: return format_time(value);
    case LimitMeasure::tres_minutes:
    case LimitMeasure::tres_run_minutes:
    case LimitMeasure::running_jobs:
    case LimitMeasure::submitted_jobs: break;
    }
    return std::to_string(value);
}

std::vector<ReasonEntry> find_reason(std::string_view token) {
    std::vector<ReasonEntry> entries;
    for_each_token([&](std::string_view reason, OwnerKind owner, const LimitId& limit,
                       std::optional<model::TresKind> kind) {
        if (reason.empty() || !text::iequals(reason, token)) return;
        const bool continues =
            !entries.empty() && entries.back().owner == owner && entries.back().limit == limit;
        if (!continues) entries.push_back({reason, owner, limit, {}});
        if (kind) entries.back().kinds.push_back(*kind);
    });
    return entries;
}

std::vector<std::string> all_reasons() {
    std::vector<std::string> reasons;
    for_each_token([&](std::string_view reason, OwnerKind, const LimitId&, std::optional<model::TresKind>) {
        if (!reason.empty()) reasons.emplace_back(reason);
    });
    std::sort(reasons.begin(), reasons.end());
    reasons.erase(std::unique(reasons.begin(), reasons.end()), reasons.end());
    return reasons;
}

} // namespace qg::limits
