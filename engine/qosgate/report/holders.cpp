// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/report/holders.hpp"

#include "qosgate/base/saturate.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/base/units.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <algorithm>
#include <limits>

namespace qg::report {
namespace {

using model::LimitFacts;
using model::LimitMeasure;
using model::LimitScope;
using model::QueuedJob;
using model::QueueState;

/// The account and the accounts below it. Accounts that slurmctld does not show are not among them.
std::set<std::string> accounts_below(const std::string& account, const quota::LocalRecords& records) {
    constexpr std::size_t max_depth = 64;
    std::set<std::string> below{account};
    for (const quota::LocalAssociation& each : records.associations) {
        const quota::LocalAssociation* at = &each;
        for (std::size_t i = 0; i < max_depth && at != nullptr; ++i) {
            if (at->link.level != model::AssociationLevel::user && at->link.account == account) {
                below.insert(each.link.account);
                break;
            }
            at = at->parent ? &records.associations[*at->parent] : nullptr;
        }
    }
    return below;
}

/// Minutes that a running job may still use.
std::uint64_t minutes_left(const QueuedJob& job, std::time_t now) {
    return job.end > now ? static_cast<std::uint64_t>(job.end - now) / 60 : 0;
}

/// What a job that holds resources has of a limit: as far as is known, and at most.
struct JobAmount {
    std::uint64_t amount = 0;
    std::uint64_t most = 0;
};

JobAmount amount_of_job(const QueuedJob& job, const CountedJobs& counted, const UsageClock& clock) {
    const auto of_tres = [&](double minutes, std::uint64_t most_minutes) -> JobAmount {
        return {saturate(static_cast<double>(amount_in(job.tres, counted.tres)) * minutes),
                saturated_product(amounts_in(job.tres, counted.tres).most, most_minutes)};
    };
    switch (model::facts_of(counted.limit).measure) {
    case LimitMeasure::tres: return of_tres(1, 1);
    case LimitMeasure::tres_run_minutes: {
        const double factor = counted.usage_factor_of(job);
        const std::uint64_t seconds = seconds_that_count(job, factor, clock).most;
        return of_tres(static_cast<double>(minutes_left(job, clock.now)) * factor,
                       saturated_sum(seconds, 59) / 60);
    }
    case LimitMeasure::running_jobs: return {1, 1};
    case LimitMeasure::submitted_jobs:
    case LimitMeasure::tres_minutes:
    case LimitMeasure::wall: break;
    }
    return {};
}

std::optional<std::time_t> end_of(const QueuedJob& job) {
    // slurmctld plans with a year for a job without a time limit, and sometimes makes it the limit.
    constexpr TimeLimit year{365 * 24 * 60};
    const bool has_end = job.state == QueueState::running && job.time_limit &&
                         !job.time_limit->is_unlimited() && *job.time_limit < year;
    return has_end ? std::optional(job.end) : std::nullopt;
}

/// "1.50G". Slurm writes memory in a larger unit only if it is a multiple of 512 MiB; so fractions of GiB are
/// exact.
AmountRange read_amounts(std::string_view number, bool is_memory) {
    constexpr std::uint64_t step = 512;
    constexpr std::size_t max_digits = 3; // no overflow
    const auto parse = [&](std::string_view text) {
        return is_memory ? units::parse_mib(text) : units::parse_count(text);
    };
    const std::size_t point = number.find('.');
    if (point == number.npos) {
        const auto value = parse(number);
        return value ? AmountRange{*value, *value} : AmountRange{};
    }
    const std::size_t end = std::min(number.find_first_not_of("0123456789", point + 1), number.size());
    const std::string suffix(number.substr(end));
    const std::string_view digits = number.substr(point + 1, end - point - 1);
    const auto whole = parse(std::string(number.substr(0, point)) + suffix);
    const auto unit = parse("1" + suffix);
    const auto fraction = text::parse_unsigned(digits);
    if (!whole || !unit || !fraction || digits.size() > max_digits) return {};
    std::uint64_t scale = 2; // halves of the last digit
    for (std::size_t i = 0; i < digits.size(); ++i)
        scale *= 10;
    const std::uint64_t least = *fraction == 0 ? *whole - std::min(*whole, *unit / scale)
                                               : *whole + (*unit * (2 * *fraction - 1) + scale - 1) / scale;
    const std::uint64_t most = *whole + *unit * (2 * *fraction + 1) / scale;
    const AmountRange steps{(least + step - 1) / step * step, most / step * step};
    return is_memory && steps.least <= steps.most ? steps : AmountRange{least, most};
}

} // namespace

bool CountedJobs::counts(const QueuedJob& job) const {
    if (user_id && job.user_id != *user_id) return false;
    if (!account.empty() && !text::iequals(job.account, account)) return false;
    if (qos.empty())
        return accounts.contains(job.account) && (partitions.empty() || partitions.contains(job.partition));
    return text::iequals(job.qos, qos) || partitions.contains(job.partition);
}

double CountedJobs::usage_factor_of(const QueuedJob& job) const {
    const auto found = usage_factors.find(text::lower(job.qos));
    return found == usage_factors.end() ? 1.0 : found->second;
}

namespace {

CountedJobs count_for(const limits::LimitId& limit, std::string tres, const quota::LocalRecords& records) {
    CountedJobs counted{.limit = limit,
                        .tres = std::move(tres),
                        .qos = {},
                        .partitions = {},
                        .accounts = {},
                        .user_id = {},
                        .account = {},
                        .usage_factors = {}};
    if (model::facts_of(limit).measure == LimitMeasure::tres_run_minutes)
        for (const quota::LocalQos& each : records.qos)
            if (each.qos.usage_factor != 1.0)
                counted.usage_factors.emplace(text::lower(each.qos.name), each.qos.usage_factor);
    return counted;
}

} // namespace

CountedJobs count_jobs_of_qos(const limits::LimitId& limit, std::string tres, std::string qos,
                              const quota::LocalRecords& records,
                              std::span<const std::shared_ptr<const model::Partition>> partitions) {
    CountedJobs counted = count_for(limit, std::move(tres), records);
    counted.qos = std::move(qos);
    for (const auto& partition : partitions)
        if (text::iequals(partition->qos, counted.qos)) counted.partitions.insert(partition->name);
    return counted;
}

CountedJobs find_counted_jobs(const limits::LimitId& limit, const limits::Owner& owner,
                              std::optional<std::size_t> tres, const model::AccountView& view,
                              std::uint32_t user_id, const quota::LocalRecords& records,
                              std::span<const std::shared_ptr<const model::Partition>> partitions) {
    const std::string tres_name = tres ? view.tres->name(*tres) : std::string();
    if (owner.kind == limits::OwnerKind::qos) {
        CountedJobs counted =
            count_jobs_of_qos(limit, tres_name, view.qos.at(owner.index).name, records, partitions);
        const LimitScope scope = model::facts_of(limit).scope;
        if (scope == LimitScope::user) counted.user_id = user_id;
        if (scope == LimitScope::account) counted.account = view.account;
        return counted;
    }
    CountedJobs counted = count_for(limit, tres_name, records);
    const model::Association& link = view.associations.at(owner.index);
    if (link.level != model::AssociationLevel::user) {
        counted.accounts = accounts_below(link.account, records);
        return counted;
    }
    counted.accounts = {link.account};
    counted.user_id = user_id;
    if (!link.partition.empty()) counted.partitions = {link.partition};
    return counted;
}

AmountRange seconds_that_count(const QueuedJob& job, double usage_factor, const UsageClock& clock) {
    constexpr std::uint64_t clocks_differ = 60;
    constexpr std::uint64_t steps = 2; // slurmctld may be late
    constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
    if (!job.time_limit || job.time_limit->is_unlimited()) return {0, usage_factor > 0 ? max : 0};
    const auto until = [&](std::time_t end) {
        return end > clock.now ? static_cast<std::uint64_t>(end - clock.now) : 0;
    };
    const std::uint64_t whole = std::uint64_t{job.time_limit->minutes} * 60;
    const std::uint64_t step = clock.step ? static_cast<std::uint64_t>(clock.step->count()) : 0;
    // While a job is suspended, its end is not known, but slurmctld takes from its minutes.
    const std::uint64_t at_least = until(job.start + static_cast<std::time_t>(whole));
    const std::uint64_t inexact = clocks_differ + steps * step;
    std::uint64_t most = whole;
    if (clock.step && job.state == QueueState::running) {
        // Each step takes whole seconds.
        const std::uint64_t rounded = (whole - std::min(whole, at_least)) / std::max<std::uint64_t>(step, 1);
        most = std::min(whole, std::max(until(job.end), at_least) + inexact + rounded);
    }
    const auto scaled = [&](std::uint64_t seconds) {
        return saturate(static_cast<double>(seconds) * usage_factor);
    };
    return {scaled(at_least - std::min(at_least, inexact)), scaled(most)};
}

Holders find_holders(const CountedJobs& counted, std::span<const QueuedJob> jobs, const UsageClock& clock) {
    Holders holders;
    if (!model::facts_of(counted.limit).counts_others()) return holders;
    for (const QueuedJob& job : jobs) {
        if (!job.holds_resources() || !counted.counts(job)) continue;
        const auto [amount, most] = amount_of_job(job, counted, clock);
        holders.most = saturated_sum(holders.most, most);
        if (amount == 0) continue;
        holders.jobs.push_back({.job = &job, .amount = amount, .end = end_of(job)});
        holders.sum += amount;
    }
    std::ranges::stable_sort(holders.jobs, std::ranges::greater(), &Holder::amount);
    return holders;
}

std::optional<std::time_t> estimate_room(const Holders& holders, std::uint64_t used, std::uint64_t asked,
                                         std::uint64_t limit, std::time_t now) {
    if (asked > limit || holders.sum != used) return std::nullopt;
    std::vector<Holder> ending;
    std::ranges::copy_if(holders.jobs, std::back_inserter(ending),
                         [](const Holder& holder) { return holder.end.has_value(); });
    std::ranges::stable_sort(ending, {}, &Holder::end);
    std::uint64_t left = used;
    for (const Holder& holder : ending) {
        if (left + asked <= limit) break;
        left -= holder.amount;
        if (left + asked <= limit) return std::max(*holder.end, now);
    }
    return std::nullopt;
}

AmountRange amounts_in(std::string_view list, std::string_view tres) {
    AmountRange amounts;
    text::for_each_part(list, ',', [&](std::string_view part) {
        const std::size_t equals = part.find('=');
        if (equals == part.npos || part.substr(0, equals) != tres) return;
        amounts = read_amounts(part.substr(equals + 1), model::kind_of(tres) == model::TresKind::mem);
    });
    return amounts;
}

std::uint64_t amount_in(std::string_view list, std::string_view tres) {
    const AmountRange amounts = amounts_in(list, tres);
    return amounts.least + (amounts.most - amounts.least) / 2;
}

bool is_shown_by_queue(model::TresKind kind) noexcept {
    switch (kind) {
    case model::TresKind::cpu:
    case model::TresKind::mem:
    case model::TresKind::node:
    case model::TresKind::billing:
    case model::TresKind::gres:
    case model::TresKind::license: return true;
    case model::TresKind::energy:
    case model::TresKind::bb:
    case model::TresKind::other: break;
    }
    return false;
}

bool is_of_running_jobs(const limits::LimitId& limit, std::string_view tres) {
    const model::LimitFacts& facts = model::facts_of(limit);
    const bool is_shown = tres.empty() || is_shown_by_queue(model::kind_of(tres));
    return is_shown && facts.counts_others() &&
           (facts.measure == model::LimitMeasure::tres ||
            facts.measure == model::LimitMeasure::tres_run_minutes ||
            facts.measure == model::LimitMeasure::running_jobs);
}

} // namespace qg::report
