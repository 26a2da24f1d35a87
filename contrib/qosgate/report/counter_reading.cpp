// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/counter_reading.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/report/holders.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace qg::cli {
namespace {

using model::QueuedJob;
using model::QueueState;
using slurm::AssocRecords;

/// The QOS with the highest priority of those that a job may get ("a,b"): its submission counts there. Empty:
/// one of them is not known.
std::optional<std::uint32_t> find_first_qos(const AssocRecords& records, std::string_view names) {
    std::optional<std::uint32_t> first;
    for (const std::string_view name : text::split(names, ',')) {
        const auto found = std::ranges::find_if(
            records.qos, [&](const auto& row) { return text::iequals(row.second.qos.name, name); });
        if (found == records.qos.end()) return std::nullopt;
        const auto priority = [&](std::uint32_t id) { return records.qos.at(id).qos.priority; };
        if (!first || priority(found->first) > priority(*first)) first = found->first;
    }
    return first;
}

/// The association and all above it.
std::vector<std::uint32_t> chain_of(const AssocRecords& records, std::uint32_t id) {
    constexpr std::size_t max_depth = 64;
    std::vector<std::uint32_t> chain;
    for (auto at = records.associations.find(id);
         at != records.associations.end() && chain.size() < max_depth;
         at = records.associations.find(at->second.parent_id))
        chain.push_back(at->first);
    return chain;
}

void read_tres(const QueuedJob& job, const model::TresCatalogue& tres, report::CountedJob& counted) {
    counted.tres.resize(tres.size());
    counted.most_tres.resize(tres.size());
    for (std::size_t at = 0; at < tres.size(); ++at) {
        const report::AmountRange amounts = report::amounts_in(job.tres, tres.name(at));
        counted.tres[at] = amounts.least;
        counted.most_tres[at] = amounts.most;
    }
}

/// The UsageFactor of the job's own QOS: it counts in the partition's, too.
double usage_factor_of(const QueuedJob& job, const AssocRecords& records) {
    const auto qos = find_first_qos(records, job.qos);
    return qos ? records.qos.at(*qos).qos.usage_factor : 1.0;
}

/// Why it is not known where a job counts; empty: it is.
std::string describe_counters(const QueuedJob& job, const AssocRecords& records,
                              const std::map<std::string, std::string>& partition_qos,
                              report::CountedJob& counted) {
    const auto association = records.associations.find(job.association_id);
    if (association == records.associations.end())
        return text::format("job {}: accounting does not know its association", job.name);
    counted.associations = chain_of(records, job.association_id);
    counted.account = association->second.link.account;
    counted.user_id = job.user_id;
    if (!job.qos.empty()) {
        const auto own = find_first_qos(records, job.qos);
        if (!own)
            return text::format("job {}: accounting does not know its QOS {}", job.name,
                                text::quoted(job.qos, 64));
        counted.qos.push_back(*own);
    }
    std::set<std::optional<std::uint32_t>> of_partitions; // empty: a partition without a QOS
    for (const std::string_view name : text::split(job.partition, ',')) {
        const auto qos = partition_qos.find(std::string(name));
        if (qos == partition_qos.end())
            return text::format("job {}: its partition {} does not exist", job.name, text::quoted(name, 64));
        const auto id = qos->second.empty() ? std::nullopt : find_first_qos(records, qos->second);
        if (!id && !qos->second.empty())
            return text::format("job {}: accounting does not know QOS {} of its partition", job.name,
                                text::quoted(qos->second, 64));
        of_partitions.insert(id);
    }
    // A job that was requeued, or that slurmctld counted anew, counts for one of its partitions only.
    auto& where = of_partitions.size() > 1 ? counted.possible_qos : counted.qos;
    for (const auto& id : of_partitions)
        if (id && std::ranges::find(counted.qos, *id) == counted.qos.end()) where.push_back(*id);
    return {};
}

} // namespace

report::Counters read_counters(const AssocRecords& records) {
    report::Counters counters;
    for (const auto& [id, row] : records.qos) {
        counters[{.kind = report::CounterKind::qos, .id = id}] = row.qos.usage;
        for (const auto& [user, usage] : row.users)
            counters[{.kind = report::CounterKind::user_of_qos, .id = id, .user_id = user}] = usage;
        for (const auto& [account, usage] : row.accounts)
            counters[{.kind = report::CounterKind::account_of_qos, .id = id, .account = account}] = usage;
    }
    for (const auto& [id, row] : records.associations)
        counters[{.kind = report::CounterKind::association, .id = id}] = row.link.usage;
    return counters;
}

JobsToCount find_jobs_to_count(const slurm::Queue& queue, const AssocRecords& records,
                               const std::map<std::string, std::string>& partition_qos, std::time_t now) {
    JobsToCount found;
    for (const QueuedJob& job : queue.jobs) {
        if (job.state == QueueState::over) continue;
        report::CountedJob counted{.submitted = std::max<std::uint64_t>(job.tasks.size(), 1),
                                   .holds_resources = job.holds_resources()};
        if (std::string why = describe_counters(job, records, partition_qos, counted); !why.empty()) {
            found.unknown.push_back(std::move(why));
            continue;
        }
        if (counted.holds_resources) {
            read_tres(job, *records.tres, counted);
            counted.nodes = job.nodes;
            const report::AmountRange seconds =
                report::seconds_that_count(job, usage_factor_of(job, records), {now, queue.usage_step});
            counted.least_seconds = seconds.least;
            counted.most_seconds = seconds.most;
        }
        found.jobs.push_back(std::move(counted));
    }
    return found;
}

std::vector<std::size_t> countable_tres(const model::TresCatalogue& tres) {
    std::vector<std::size_t> countable;
    for (std::size_t at = 0; at < tres.size(); ++at)
        if (report::is_shown_by_queue(tres.kind(at))) countable.push_back(at);
    return countable;
}

CounterNames names_of(const report::Counter& counter, const AssocRecords& records) {
    if (counter.kind == report::CounterKind::association) {
        const auto found = records.associations.find(counter.id);
        if (found == records.associations.end()) return {.account = std::to_string(counter.id)};
        const model::Association& link = found->second.link;
        return {.account = link.account, .user = link.user, .partition = link.partition};
    }
    const auto qos = records.qos.find(counter.id);
    CounterNames names{.qos = qos == records.qos.end() ? std::to_string(counter.id) : qos->second.qos.name,
                       .account = counter.account};
    if (counter.kind == report::CounterKind::user_of_qos) {
        const auto user = records.users.find(counter.user_id);
        names.user = user == records.users.end() || user->second.name.empty()
                         ? std::to_string(counter.user_id)
                         : user->second.name;
    }
    return names;
}

std::string CounterNames::text() const {
    const auto shown = [](const std::string& name) { return text::printable(name); };
    std::string words;
    if (!user.empty()) words = text::format("user {} in ", shown(user));
    if (!account.empty()) words += text::format("account {}", shown(account));
    if (!qos.empty()) words += text::format("{}QOS {}", account.empty() ? "" : " in ", shown(qos));
    if (!partition.empty()) words += text::format(", partition {}", shown(partition));
    return words;
}

} // namespace qg::cli
