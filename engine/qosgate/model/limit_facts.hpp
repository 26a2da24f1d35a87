// SPDX-License-Identifier: GPL-2.0-or-later
//
// The facts of each limit, one row per limit: whose jobs it counts, what it counts, its names and words. All
// code that treats some limits differently uses this table (limits/README.md 1.1).
#pragma once

#include "qosgate/model/limits.hpp"
#include "qosgate/model/tres.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

namespace qg::model {

/// Whose jobs count together.
enum class LimitScope : std::uint8_t {
    job,     ///< each job by itself
    node,    ///< each job by itself, divided by its nodes
    user,    ///< the jobs of one user in a QOS
    account, ///< the jobs of one account in a QOS
    group,   ///< all jobs of the QOS or the association
};

/// What is counted.
enum class LimitMeasure : std::uint8_t {
    tres,             ///< TRES of running jobs
    tres_minutes,     ///< TRES x time; for several jobs, ended jobs count too
    tres_run_minutes, ///< TRES x the remaining time of running jobs
    running_jobs,
    submitted_jobs, ///< pending and running jobs, array tasks counted singly
    wall,           ///< time in minutes; for several jobs, ended jobs count too
};

enum class LimitSense : std::uint8_t { maximum, minimum };

/// The words for a limit.
struct LimitWords {
    std::string_view phrase;  ///< "per user", after what is counted; or whole: "running jobs per user"
    std::string_view meaning; ///< a sentence: what is limited
    /// What the user can change. Nothing about waiting: whether that helps depends on the job, and is said
    /// in front of it.
    std::string_view change;
};

/// Slurm's Reason tokens (limits/README.md 1.4): one per TresKind, in that order; only the first for limits
/// without TRES. Empty: that kind of owner cannot set the limit.
using ReasonTokens = std::array<std::string_view, tres_kind_count>;

struct LimitFacts {
    LimitId limit;
    std::string_view name; ///< sacctmgr's
    LimitScope scope;
    LimitMeasure measure;
    LimitSense sense = LimitSense::maximum;
    LimitWords words;
    ReasonTokens qos_reasons = {};
    ReasonTokens association_reasons = {};

    /// Whether QOSs, or associations, can set it.
    [[nodiscard]] constexpr bool is_of_qos() const noexcept { return !qos_reasons.front().empty(); }
    [[nodiscard]] constexpr bool is_of_association() const noexcept {
        return !association_reasons.front().empty();
    }
    /// Whether other jobs count as well as the job itself.
    [[nodiscard]] constexpr bool counts_others() const noexcept {
        return scope != LimitScope::job && scope != LimitScope::node;
    }
    /// Whether ended jobs count, too.
    [[nodiscard]] constexpr bool counts_the_past() const noexcept {
        return counts_others() && (measure == LimitMeasure::tres_minutes || measure == LimitMeasure::wall);
    }
    /// Whether associations of accounts only pass it on to those of users (limits/README.md 1.1).
    [[nodiscard]] constexpr bool is_of_users_alone() const noexcept { return name.starts_with("Max"); }
    /// Whether it counts TRES x time.
    [[nodiscard]] constexpr bool counts_tres_minutes() const noexcept {
        return measure == LimitMeasure::tres_minutes || measure == LimitMeasure::tres_run_minutes;
    }
    /// Whether the job's time limit decides, alone or with its TRES.
    [[nodiscard]] constexpr bool is_about_time() const noexcept {
        return measure == LimitMeasure::wall || counts_tres_minutes();
    }
};

/// The usage that a limit of this scope is compared with, of what has a usage, user_usage and account_usage;
/// for limits of single jobs, which are compared with none, that of all.
template <typename Counters>
constexpr const auto& usage_in_scope(const Counters& counters, LimitScope scope) noexcept {
    switch (scope) {
    case LimitScope::user: return counters.user_usage;
    case LimitScope::account: return counters.account_usage;
    case LimitScope::job:
    case LimitScope::node:
    case LimitScope::group: break;
    }
    return counters.usage;
}

/// The rows, in the order of TresLimit and then CountLimit.
inline constexpr auto limit_facts = [] {
    using enum TresLimit;
    using enum CountLimit;
    using enum LimitScope;
    using enum LimitMeasure;
    using enum LimitSense;
    return std::array<LimitFacts, tres_limit_count + count_limit_count>{{
        {.limit = max_tres_per_job,
         .name = "MaxTRESPerJob",
         .scope = job,
         .measure = tres,
         .words = {"per job", "Limits the size of a job.", "Ask for less."},
         .qos_reasons = {"QOSMaxCpuPerJobLimit", "QOSMaxMemoryPerJob", "QOSMaxEnergyPerJob",
                         "QOSMaxNodePerJobLimit", "QOSMaxBillingPerJob", "QOSMaxBBPerJob", "QOSMaxGRESPerJob",
                         "QOSMaxLicensePerJob", "QOSMaxUnknownPerJob"},
         .association_reasons = {"AssocMaxCpuPerJobLimit", "AssocMaxMemPerJob", "AssocMaxEnergyPerJob",
                                 "AssocMaxNodePerJobLimit", "AssocMaxBillingPerJob", "AssocMaxBBPerJob",
                                 "AssocMaxGRESPerJob", "AssocMaxLicensePerJob", "AssocMaxUnknownPerJob"}},
        {.limit = max_tres_per_node,
         .name = "MaxTRESPerNode",
         .scope = node,
         .measure = tres,
         .words = {"per node", "Limits what a job may use on each of its nodes, on average.",
                   "Ask for less, or spread it over more nodes."},
         .qos_reasons = {"QOSMaxCpuPerNode", "QOSMaxMemoryPerNode", "QOSMaxEnergyPerNode",
                         "QOSMaxUnknownPerNode", "QOSMaxBillingPerNode", "QOSMaxBBPerNode",
                         "QOSMaxGRESPerNode", "QOSMaxUnknownPerNode", "QOSMaxUnknownPerNode"},
         .association_reasons = {"AssocMaxCpuPerNode", "AssocMaxMemPerNode", "AssocMaxEnergyPerNode",
                                 "AssocMaxUnknownPerNode", "AssocMaxBillingPerNode", "AssocMaxBBPerNode",
                                 "AssocMaxGRESPerNode", "AssocMaxUnknownPerNode", "AssocMaxUnknownPerNode"}},
        {.limit = max_tres_per_user,
         .name = "MaxTRESPerUser",
         .scope = user,
         .measure = tres,
         .words = {"per user", "Limits what all running jobs of one user may use together.",
                   "Ask for less, or use another QOS."},
         .qos_reasons = {"QOSMaxCpuPerUserLimit", "QOSMaxMemoryPerUser", "QOSMaxEnergyPerUser",
                         "QOSMaxNodePerUserLimit", "QOSMaxBillingPerUser", "QOSMaxBBPerUser",
                         "QOSMaxGRESPerUser", "QOSMaxLicensePerUser", "QOSMaxUnknownPerUser"}},
        {.limit = max_tres_per_account,
         .name = "MaxTRESPerAccount",
         .scope = account,
         .measure = tres,
         .words = {"per account", "Limits what all running jobs of one account may use together.",
                   "Ask for less, or use another account."},
         .qos_reasons = {"MaxCpuPerAccount", "MaxMemoryPerAccount", "MaxEnergyPerAccount",
                         "MaxNodePerAccount", "MaxBillingPerAccount", "MaxBBPerAccount", "MaxGRESPerAccount",
                         "MaxLicensePerAccount", "MaxUnknownPerAccount"}},
        {.limit = grp_tres,
         .name = "GrpTRES",
         .scope = group,
         .measure = tres,
         .words = {"of all running jobs", "Limits what all running jobs, of every user, may use together.",
                   "Ask for less, or use another QOS or account."},
         .qos_reasons = {"QOSGrpCpuLimit", "QOSGrpMemLimit", "QOSGrpEnergy", "QOSGrpNodeLimit",
                         "QOSGrpBilling", "QOSGrpBB", "QOSGrpGRES", "QOSGrpLicense", "QOSGrpUnknown"},
         .association_reasons = {"AssocGrpCpuLimit", "AssocGrpMemLimit", "AssocGrpEnergy",
                                 "AssocGrpNodeLimit", "AssocGrpBilling", "AssocGrpBB", "AssocGrpGRES",
                                 "AssocGrpLicense", "AssocGrpUnknown"}},
        {.limit = max_tres_mins_per_job,
         .name = "MaxTRESMinsPerJob",
         .scope = job,
         .measure = tres_minutes,
         .words = {"per job", "Limits the size of a job times its time limit.",
                   "Ask for less time, or for a smaller size."},
         // For minutes of burst buffers Slurm uses the association's token even if a QOS limits them.
         .qos_reasons = {"QOSMaxCpuMinutesPerJobLimit", "QOSMaxMemoryMinutesPerJob",
                         "QOSMaxEnergyMinutesPerJob", "QOSMaxNodeMinutesPerJob", "QOSMaxBillingMinutesPerJob",
                         "AssocMaxBBMinutesPerJob", "QOSMaxGRESMinutesPerJob", "QOSMaxLicenseMinutesPerJob",
                         "QOSMaxUnknownMinutesPerJob"},
         .association_reasons = {"AssocMaxCpuMinutesPerJobLimit", "AssocMaxMemMinutesPerJob",
                                 "AssocMaxEnergyMinutesPerJob", "AssocMaxNodeMinutesPerJob",
                                 "AssocMaxBillingMinutesPerJob", "AssocMaxBBMinutesPerJob",
                                 "AssocMaxGRESMinutesPerJob", "AssocMaxLicenseMinutesPerJob",
                                 "AssocMaxUnknownMinutesPerJob"}},
        {.limit = grp_tres_mins,
         .name = "GrpTRESMins",
         .scope = group,
         .measure = tres_minutes,
         .words = {"of all jobs",
                   "Limits size times time of all jobs together, of those that have ended, too.",
                   "Ask for less time, or use another QOS or account."},
         .qos_reasons = {"QOSGrpCPUMinutesLimit", "QOSGrpMemoryMinutes", "QOSGrpEnergyMinutes",
                         "QOSGrpNodeMinutes", "QOSGrpBillingMinutes", "QOSGrpBBMinutes", "QOSGrpGRESMinutes",
                         "QOSGrpLicenseMinutes", "QOSGrpUnknownMinutes"},
         .association_reasons = {"AssocGrpCPUMinutesLimit", "AssocGrpMemMinutes", "AssocGrpEnergyMinutes",
                                 "AssocGrpNodeMinutes", "AssocGrpBillingMinutes", "AssocGrpBBMinutes",
                                 "AssocGrpGRESMinutes", "AssocGrpLicenseMinutes", "AssocGrpUnknownMinutes"}},
        {.limit = grp_tres_run_mins,
         .name = "GrpTRESRunMins",
         .scope = group,
         .measure = tres_run_minutes,
         .words = {"of all running jobs",
                   "Limits what all running jobs together may still use: their size times the time they have "
                   "left.",
                   "Ask for less time."},
         .qos_reasons = {"QOSGrpCPURunMinutesLimit", "QOSGrpMemoryRunMinutes", "QOSGrpEnergyRunMinutes",
                         "QOSGrpNodeRunMinutes", "QOSGrpBillingRunMinutes", "QOSGrpBBRunMinutes",
                         "QOSGrpGRESRunMinutes", "QOSGrpLicenseRunMinutes", "QOSGrpUnknownRunMinutes"},
         .association_reasons = {"AssocGrpCPURunMinutesLimit", "AssocGrpMemRunMinutes",
                                 "AssocGrpEnergyRunMinutes", "AssocGrpNodeRunMinutes",
                                 "AssocGrpBillingRunMinutes", "AssocGrpBBRunMinutes",
                                 "AssocGrpGRESRunMinutes", "AssocGrpLicenseRunMinutes",
                                 "AssocGrpUnknownRunMinutes"}},
        {.limit = max_tres_run_mins_per_account,
         .name = "MaxTRESRunMinsPerAccount",
         .scope = account,
         .measure = tres_run_minutes,
         .words = {"of running jobs per account",
                   "Limits what the running jobs of one account may still use: their size times the time "
                   "they have left.",
                   "Ask for less time."},
         .qos_reasons = {"MaxCpuRunMinsPerAccount", "MaxMemoryRunMinsPerAccount",
                         "MaxEnergyRunMinsPerAccount", "MaxNodeRunMinsPerAccount",
                         "MaxBillingRunMinsPerAccount", "MaxBBRunMinsPerAccount", "MaxGRESRunMinsPerAccount",
                         "MaxLicenseRunMinsPerAccount", "MaxUnknownRunMinsPerAccount"}},
        {.limit = max_tres_run_mins_per_user,
         .name = "MaxTRESRunMinsPerUser",
         .scope = user,
         .measure = tres_run_minutes,
         .words = {"of running jobs per user",
                   "Limits what the running jobs of one user may still use: their size times the time they "
                   "have left.",
                   "Ask for less time."},
         .qos_reasons = {"MaxCpuRunMinsPerUser", "MaxMemoryRunMinsPerUser", "MaxEnergyRunMinsPerUser",
                         "MaxNodeRunMinsPerUser", "MaxBillingRunMinsPerUser", "MaxBBRunMinsPerUser",
                         "MaxGRESRunMinsPerUser", "MaxLicenseRunMinsPerUser", "MaxUnknownRunMinsPerUser"}},
        {.limit = min_tres_per_job,
         .name = "MinTRESPerJob",
         .scope = job,
         .measure = tres,
         .sense = minimum,
         .words = {"per job", "Sets what a job must ask for at least.", "Ask for more, or use another QOS."},
         .qos_reasons = {"QOSMinCpuNotSatisfied", "QOSMinMemory", "QOSMinEnergy", "QOSMinNode",
                         "QOSMinBilling", "QOSMinBB", "QOSMinGRES", "QOSMinLicense", "QOSMinUnknown"}},
        {.limit = grp_jobs,
         .name = "GrpJobs",
         .scope = group,
         .measure = running_jobs,
         .words = {"all running jobs", "Limits how many jobs, of every user, may run at once.",
                   "Use another QOS or account."},
         .qos_reasons = {"QOSGrpJobsLimit"},
         .association_reasons = {"AssocGrpJobsLimit"}},
        {.limit = max_jobs,
         .name = "MaxJobs",
         .scope = group,
         .measure = running_jobs,
         .words = {"running jobs", "Limits how many of your jobs in this account may run at once.",
                   "Use another account."},
         .association_reasons = {"AssocMaxJobsLimit"}},
        {.limit = max_jobs_per_user,
         .name = "MaxJobsPerUser",
         .scope = user,
         .measure = running_jobs,
         .words = {"running jobs per user", "Limits how many jobs of one user may run at once.",
                   "Use another QOS."},
         .qos_reasons = {"QOSMaxJobsPerUserLimit"}},
        {.limit = max_jobs_per_account,
         .name = "MaxJobsPerAccount",
         .scope = account,
         .measure = running_jobs,
         .words = {"running jobs per account", "Limits how many jobs of one account may run at once.",
                   "Use another QOS or account."},
         .qos_reasons = {"MaxJobsPerAccount"}},
        {.limit = grp_submit_jobs,
         .name = "GrpSubmitJobs",
         .scope = group,
         .measure = submitted_jobs,
         .words = {"all submitted jobs",
                   "Limits how many jobs, of every user, may be pending and running together.",
                   "Submit fewer jobs, or a smaller array."},
         .qos_reasons = {"QOSGrpSubmitJobsLimit"},
         .association_reasons = {"AssocGrpSubmitJobsLimit"}},
        {.limit = max_submit_jobs,
         .name = "MaxSubmitJobs",
         .scope = group,
         .measure = submitted_jobs,
         .words = {"submitted jobs",
                   "Limits how many of your jobs in this account may be pending and running together.",
                   "Submit fewer jobs, or a smaller array."},
         .association_reasons = {"AssocMaxSubmitJobLimit"}},
        {.limit = max_submit_jobs_per_user,
         .name = "MaxSubmitJobsPerUser",
         .scope = user,
         .measure = submitted_jobs,
         .words = {"submitted jobs per user",
                   "Limits how many jobs of one user may be pending and running together.",
                   "Submit fewer jobs, or a smaller array."},
         .qos_reasons = {"QOSMaxSubmitJobPerUserLimit"}},
        {.limit = max_submit_jobs_per_account,
         .name = "MaxSubmitJobsPerAccount",
         .scope = account,
         .measure = submitted_jobs,
         .words = {"submitted jobs per account",
                   "Limits how many jobs of one account may be pending and running together.",
                   "Submit fewer jobs, or a smaller array."},
         .qos_reasons = {"MaxSubmitJobsPerAccount"}},
        {.limit = max_wall,
         .name = "MaxWall",
         .scope = job,
         .measure = wall,
         .words = {"per job", "Limits the time that a job may ask for.", "Ask for less time."},
         .qos_reasons = {"QOSMaxWallDurationPerJobLimit"},
         .association_reasons = {"AssocMaxWallDurationPerJobLimit"}},
        {.limit = grp_wall,
         .name = "GrpWall",
         .scope = group,
         .measure = wall,
         .words = {"of all jobs", "Limits how long all jobs together may run.",
                   "Ask for less time, or use another QOS or account."},
         .qos_reasons = {"QOSGrpWallLimit"},
         .association_reasons = {"AssocGrpWallLimit"}},
    }};
}();

constexpr const LimitFacts& facts_of(TresLimit limit) noexcept {
    return limit_facts[static_cast<std::size_t>(limit)];
}
constexpr const LimitFacts& facts_of(CountLimit limit) noexcept {
    return limit_facts[tres_limit_count + static_cast<std::size_t>(limit)];
}
constexpr const LimitFacts& facts_of(const LimitId& limit) noexcept {
    // Not std::get_if: with -fsanitize=undefined, g++ 12 does not accept its pointer as a constant.
    return std::holds_alternative<TresLimit>(limit) ? facts_of(std::get<TresLimit>(limit))
                                                    : facts_of(std::get<CountLimit>(limit));
}

/// Whether every limit has its row, in the right place.
constexpr bool has_every_limit() {
    for (std::size_t i = 0; i < tres_limit_count; ++i)
        if (limit_facts[i].limit != LimitId(static_cast<TresLimit>(i))) return false;
    for (std::size_t i = 0; i < count_limit_count; ++i)
        if (limit_facts[tres_limit_count + i].limit != LimitId(static_cast<CountLimit>(i))) return false;
    return true;
}
static_assert(has_every_limit(), "row i of limit_facts is enumerator i");

/// Whether an owner's tokens fit the limit: a TRES limit has all tokens or none, any other limit one or none.
constexpr bool are_tokens_of(const LimitId& limit, const ReasonTokens& tokens) {
    std::size_t named = 0;
    while (named < tokens.size() && !tokens[named].empty())
        ++named;
    for (std::size_t i = named; i < tokens.size(); ++i)
        if (!tokens[i].empty()) return false;
    return named == 0 || named == (std::holds_alternative<TresLimit>(limit) ? tokens.size() : 1);
}
constexpr bool has_every_token() {
    for (const LimitFacts& facts : limit_facts)
        if (!are_tokens_of(facts.limit, facts.qos_reasons) ||
            !are_tokens_of(facts.limit, facts.association_reasons))
            return false;
    return true;
}
static_assert(has_every_token(), "a TRES limit has a token for each TresKind, another limit one");

/// The limits for which `is_meant(const LimitFacts&)` is true.
template <typename IsMeant>
constexpr LimitSet limits_where(IsMeant is_meant) {
    LimitSet limits;
    for (const LimitFacts& facts : limit_facts)
        if (std::invoke(is_meant, facts)) limits += facts.limit;
    return limits;
}

} // namespace qg::model
