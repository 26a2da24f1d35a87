// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/recount.hpp"

#include <algorithm>
#include <set>

namespace qg::cli {
namespace {

using model::LimitMeasure;
using model::NodeRange;
using model::Usage;

/// How many nodes are in any of the ranges.
std::uint64_t count_distinct(std::vector<NodeRange> ranges) {
    std::ranges::sort(ranges, {}, &NodeRange::first);
    std::uint64_t count = 0;
    std::uint64_t next = 0; // the first node that has not been counted
    for (const NodeRange& range : ranges) {
        const std::uint64_t first = std::max<std::uint64_t>(range.first, next);
        if (range.last < first) continue;
        count += range.last - first + 1;
        next = std::uint64_t{range.last} + 1;
    }
    return count;
}

/// Everything that counts this job.
std::vector<Counter> counters_of(const CountedJob& job) {
    std::vector<Counter> all;
    for (const std::uint32_t qos : job.qos) {
        all.push_back({.kind = CounterKind::qos, .id = qos});
        all.push_back({.kind = CounterKind::user_of_qos, .id = qos, .user_id = job.user_id});
        all.push_back({.kind = CounterKind::account_of_qos, .id = qos, .account = job.account});
    }
    for (const std::uint32_t association : job.associations)
        all.push_back({.kind = CounterKind::association, .id = association});
    return all;
}

std::uint64_t value_of(const Counters& counters, const CountedAmount& what) {
    const auto found = counters.find(what.counter);
    if (found == counters.end()) return 0;
    const Usage& usage = found->second;
    if (what.measure == LimitMeasure::tres) return model::count_at(usage.tres, what.tres);
    return what.measure == LimitMeasure::submitted_jobs ? usage.submit_jobs : usage.jobs;
}

} // namespace

Counters recount(std::span<const CountedJob> jobs, std::optional<std::size_t> node) {
    Counters counters;
    std::map<Counter, std::vector<NodeRange>> nodes;
    for (const CountedJob& job : jobs) {
        for (const Counter& counter : counters_of(job)) {
            Usage& usage = counters[counter];
            usage.submit_jobs += job.submitted;
            if (!job.holds_resources) continue;
            ++usage.jobs;
            usage.tres.resize(std::max(usage.tres.size(), job.tres.size()));
            for (std::size_t tres = 0; tres < job.tres.size(); ++tres)
                usage.tres[tres] += job.tres[tres];
            std::vector<NodeRange>& all = nodes[counter];
            all.insert(all.end(), job.nodes.begin(), job.nodes.end());
        }
    }
    for (auto& [counter, ranges] : nodes) {
        Usage& usage = counters[counter];
        if (node && *node < usage.tres.size()) usage.tres[*node] = count_distinct(std::move(ranges));
    }
    return counters;
}

std::vector<CountedAmount> CounterComparison::amounts_of(const Counters& a, const Counters& b,
                                                         const Counters& c) const {
    std::set<Counter> counters;
    for (const Counters* each : {&a, &b, &c})
        for (const auto& [counter, usage] : *each)
            counters.insert(counter);
    std::vector<CountedAmount> amounts;
    for (const Counter& counter : counters) {
        amounts.push_back({.counter = counter, .measure = LimitMeasure::running_jobs});
        amounts.push_back({.counter = counter, .measure = LimitMeasure::submitted_jobs});
        for (const std::size_t tres : tres_)
            amounts.push_back({.counter = counter, .measure = LimitMeasure::tres, .tres = tres});
    }
    return amounts;
}

void CounterComparison::add_round(const Counters& before, const Counters& counted, const Counters& after) {
    const bool is_first = rounds_++ == 0;
    const auto amounts = amounts_of(before, counted, after);
    if (is_first) compared_ = amounts.size();
    for (const CountedAmount& what : amounts) {
        const auto open = open_.find(what);
        if (!is_first && open == open_.end()) continue; // equal in an earlier round
        const std::uint64_t count = value_of(counted, what);
        const std::uint64_t kept = value_of(after, what);
        if (count == kept || count == value_of(before, what)) {
            open_.erase(what);
            continue;
        }
        if (value_of(before, what) != kept) { // it changes
            open_.try_emplace(what);
            continue;
        }
        const auto difference = static_cast<std::int64_t>(kept - count);
        if (open != open_.end() && open->second == difference) {
            differences_.push_back({.what = what, .counted = count, .kept = kept});
            open_.erase(open);
            continue;
        }
        open_[what] = difference;
    }
}

std::vector<CountedAmount> CounterComparison::unsettled() const {
    std::vector<CountedAmount> all;
    for (const auto& [what, difference] : open_)
        all.push_back(what);
    return all;
}

} // namespace qg::cli
