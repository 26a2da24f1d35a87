// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/catalogue.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/reason.hpp"

#include <algorithm>
#include <array>

namespace qg::limits {
namespace {

constexpr std::string_view never_helps = "Waiting does not help: the job itself is too large.";
constexpr std::string_view when_jobs_end = "The job starts when enough of the running jobs that count here "
                                           "have ended, unless it alone is above the limit.";
constexpr std::string_view when_usage_decays =
    "Waiting helps only as far as past usage decays or is reset at this site.";

// Rows in the order of TresLimit.
constexpr std::array<LimitText, model::tres_limit_count> tres_texts{{
    {"per job", false, "One job may have at most so much.", never_helps, "Ask for less."},
    {"per node", false, "On each of its nodes a job may have at most so much, on average.", never_helps,
     "Ask for less, or spread it over more nodes."},
    {"per user", false, "All running jobs of one user together may have at most so much.", when_jobs_end,
     "Ask for less, or let your other jobs end first."},
    {"per account", false, "All running jobs of one account together may have at most so much.",
     when_jobs_end, "Ask for less, or use another account."},
    {"in all", false, "All running jobs that count here, of every user, together may have at most so much.",
     when_jobs_end, "Ask for less, or use another QOS or account."},
    {"per job", true, "Size times time limit of one job may be at most so much.", never_helps,
     "Ask for less time, or for a smaller size."},
    {"in all", true, "Size times time of all jobs so far may come to at most so much.", when_usage_decays,
     "Ask for less time, or use another QOS or account."},
    {"of running jobs in all", true, "What all running jobs may still use, size times time left, is limited.",
     when_jobs_end, "Ask for less time."},
    {"of running jobs per account", true,
     "What the running jobs of one account may still use, size times time left, is limited.", when_jobs_end,
     "Ask for less time."},
    {"of running jobs per user", true,
     "What the running jobs of one user may still use, size times time left, is limited.", when_jobs_end,
     "Ask for less time."},
    {"per job, at least", false, "A job must ask for at least so much.",
     "Waiting does not help: the job itself is too small.", "Ask for more, or use another QOS."},
}};

// Rows in the order of CountLimit.
constexpr std::array<LimitText, model::count_limit_count> count_texts{{
    {"running jobs in all", false, "So many jobs may run at once, of every user.", when_jobs_end,
     "Wait, or use another QOS or account."},
    {"running jobs", false, "So many of your jobs may run at once in this account.", when_jobs_end, "Wait."},
    {"running jobs per user", false, "So many jobs of one user may run at once.", when_jobs_end,
     "Wait, or use another QOS."},
    {"running jobs per account", false, "So many jobs of one account may run at once.", when_jobs_end,
     "Wait, or use another QOS or account."},
    {"submitted jobs in all", false, "So many jobs may be pending and running together, of every user.",
     "Submit again when some of them have ended.", "Submit fewer jobs, or a smaller array."},
    {"submitted jobs", false, "So many of your jobs may be pending and running together in this account.",
     "Submit again when some of them have ended.", "Submit fewer jobs, or a smaller array."},
    {"submitted jobs per user", false, "So many jobs of one user may be pending and running together.",
     "Submit again when some of yours have ended.", "Submit fewer jobs, or a smaller array."},
    {"submitted jobs per account", false, "So many jobs of one account may be pending and running together.",
     "Submit again when some of them have ended.", "Submit fewer jobs, or a smaller array."},
    {"wall time", false, "A job may ask for at most so much time.", never_helps, "Ask for less time."},
    {"wall time in all", false, "All jobs together may run for so long.", when_usage_decays,
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

std::string tres_noun(std::string_view name) {
    const auto after_slash = name.substr(std::min(name.find('/') + 1, name.size()));
    switch (model::kind_of(name)) {
    case model::TresKind::cpu: return "CPUs";
    case model::TresKind::mem: return "memory";
    case model::TresKind::energy: return "energy";
    case model::TresKind::node: return "nodes";
    case model::TresKind::billing: return "billing units";
    case model::TresKind::bb: return text::format("burst buffer {}", after_slash);
    case model::TresKind::license: return text::format("licenses {}", after_slash);
    case model::TresKind::gres: {
        constexpr std::string_view gpu = "gpu";
        if (after_slash == gpu) return "GPUs";
        if (after_slash.starts_with("gpu:"))
            return text::format("{} GPUs", after_slash.substr(gpu.size() + 1));
        return std::string(after_slash);
    }
    case model::TresKind::other: return std::string(name);
    }
    return std::string(name);
}

std::string subject_of(const LimitId& limit, std::string_view tres_name) {
    const LimitText& wording = text_of(limit);
    if (std::holds_alternative<CountLimit>(limit)) return std::string(wording.scope);
    std::string noun = tres_noun(tres_name);
    if (wording.counts_minutes) {
        // "CPU minutes", not "CPUs minutes".
        if (noun.size() > 1 && noun.back() == 's') noun.pop_back();
        noun += " minutes";
    }
    return text::format("{} {}", noun, wording.scope);
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
