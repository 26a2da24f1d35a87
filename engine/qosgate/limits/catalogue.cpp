// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/catalogue.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/reason.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace qg::limits {
namespace {

using enum Counted;

constexpr std::string_view never_helps = "Waiting does not help: the job itself is too large.";
constexpr std::string_view when_jobs_end = "The job starts when enough of the running jobs that count here "
                                           "have ended, unless it is above the limit by itself.";
constexpr std::string_view when_usage_decays =
    "Waiting helps only as far as past usage decays or is reset at this site.";
constexpr std::string_view submit_again = "Submit again when some of these jobs have ended.";
constexpr std::string_view submit_fewer = "Submit fewer jobs, or a smaller array.";

// Rows in the order of TresLimit.
constexpr std::array<LimitText, model::tres_limit_count> tres_texts{{
    {tres, "per job", false, "Limits the size of a job.", never_helps, "Ask for less."},
    {tres, "per node", false, "Limits what a job may use on each of its nodes, on average.", never_helps,
     "Ask for less, or spread it over more nodes."},
    {tres, "per user", false, "Limits what all running jobs of one user may use together.", when_jobs_end,
     "Ask for less, or let your other jobs end first."},
    {tres, "per account", false, "Limits what all running jobs of one account may use together.",
     when_jobs_end, "Ask for less, or use another account."},
    {tres, "of all running jobs", true, "Limits what all running jobs, of every user, may use together.",
     when_jobs_end, "Ask for less, or use another QOS or account."},
    {tres_minutes, "per job", false, "Limits the size of a job times its time limit.", never_helps,
     "Ask for less time, or for a smaller size."},
    {tres_minutes, "of all jobs", true,
     "Limits size times time of all jobs together, of those that have ended, too.", when_usage_decays,
     "Ask for less time, or use another QOS or account."},
    {tres_minutes, "of all running jobs", true,
     "Limits what all running jobs together may still use: their size times the time they have left.",
     when_jobs_end, "Ask for less time."},
    {tres_minutes, "of running jobs per account", false,
     "Limits what the running jobs of one account may still use: their size times the time they have left.",
     when_jobs_end, "Ask for less time."},
    {tres_minutes, "of running jobs per user", false,
     "Limits what the running jobs of one user may still use: their size times the time they have left.",
     when_jobs_end, "Ask for less time."},
    {tres, "per job", false, "Sets what a job must ask for at least.",
     "Waiting does not help: the job itself is too small.", "Ask for more, or use another QOS."},
}};

// Rows in the order of CountLimit.
constexpr std::array<LimitText, model::count_limit_count> count_texts{{
    {running_jobs, "all running jobs", true, "Limits how many jobs, of every user, may run at once.",
     when_jobs_end, "Wait, or use another QOS or account."},
    {running_jobs, "running jobs", true, "Limits how many of your jobs in this account may run at once.",
     when_jobs_end, "Wait."},
    {running_jobs, "running jobs per user", false, "Limits how many jobs of one user may run at once.",
     when_jobs_end, "Wait, or use another QOS."},
    {running_jobs, "running jobs per account", false, "Limits how many jobs of one account may run at once.",
     when_jobs_end, "Wait, or use another QOS or account."},
    {submitted_jobs, "all submitted jobs", true,
     "Limits how many jobs, of every user, may be pending and running together.", submit_again, submit_fewer},
    {submitted_jobs, "submitted jobs", true,
     "Limits how many of your jobs in this account may be pending and running together.", submit_again,
     submit_fewer},
    {submitted_jobs, "submitted jobs per user", false,
     "Limits how many jobs of one user may be pending and running together.", submit_again, submit_fewer},
    {submitted_jobs, "submitted jobs per account", false,
     "Limits how many jobs of one account may be pending and running together.", submit_again, submit_fewer},
    {wall, "per job", false, "Limits the time that a job may ask for.", never_helps, "Ask for less time."},
    {wall, "of all jobs", true, "Limits how long all jobs together may run.", when_usage_decays,
     "Ask for less time, or use another QOS or account."},
}};

constexpr OwnerKind owner_kinds[] = {OwnerKind::qos, OwnerKind::association};

template <typename Visit>
void for_each_token(Visit visit) {
    for (OwnerKind owner : owner_kinds) {
        for (std::size_t limit = 0; limit < model::tres_limit_count; ++limit)
            for (std::size_t kind = 0; kind < model::tres_kind_count; ++kind)
                visit(reason_of(owner, static_cast<TresLimit>(limit), static_cast<model::TresKind>(kind)),
                      owner, LimitId(static_cast<TresLimit>(limit)),
                      std::optional(static_cast<model::TresKind>(kind)));
        for (std::size_t limit = 0; limit < model::count_limit_count; ++limit)
            visit(reason_of(owner, static_cast<CountLimit>(limit)), owner,
                  LimitId(static_cast<CountLimit>(limit)), std::optional<model::TresKind>());
    }
}

} // namespace

const LimitText& text_of(const LimitId& limit) noexcept {
    if (const auto* count = std::get_if<CountLimit>(&limit))
        return count_texts[static_cast<std::size_t>(*count)];
    return tres_texts[static_cast<std::size_t>(std::get<TresLimit>(limit))];
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

std::string format_amount(std::string_view tres_name, std::uint64_t count) {
    const Noun noun = tres_noun(tres_name);
    if (count == 0) return "no " + noun.plural;
    const std::string number = model::format_tres_count(tres_name, count);
    if (model::kind_of(tres_name) == model::TresKind::mem) return number + " of memory";
    return text::format("{} {}", number, count == 1 ? noun.singular : noun.plural);
}

std::string subject_of(const LimitId& limit, std::string_view tres_name) {
    const LimitText& wording = text_of(limit);
    switch (wording.counted) {
    case Counted::tres: return text::format("{} {}", tres_noun(tres_name).plural, wording.scope);
    case Counted::tres_minutes:
        return text::format("{} minutes {}", tres_noun(tres_name).singular, wording.scope);
    case Counted::wall: return text::format("wall time {}", wording.scope);
    case Counted::running_jobs:
    case Counted::submitted_jobs: break;
    }
    return std::string(wording.scope);
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
