// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/report/recount.hpp"

#include "qosgate/base/saturate.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace qg::report {
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
std::vector<Counter> counters_of(const CountedJob& job, bool at_most) {
    std::vector<Counter> all;
    auto every = job.qos;
    if (at_most) every.insert(every.end(), job.possible_qos.begin(), job.possible_qos.end());
    for (const std::uint32_t qos : every) {
        all.push_back({.kind = CounterKind::qos, .id = qos});
        all.push_back({.kind = CounterKind::user_of_qos, .id = qos, .user_id = job.user_id});
        all.push_back({.kind = CounterKind::account_of_qos, .id = qos, .account = job.account});
    }
    for (const std::uint32_t association : job.associations)
        all.push_back({.kind = CounterKind::association, .id = association});
    return all;
}

std::uint64_t counted_value(const Counters& counters, const CountedAmount& what) {
    const auto found = counters.find(what.counter);
    if (found == counters.end()) return 0;
    const Usage& usage = found->second;
    if (what.measure == LimitMeasure::tres) return model::count_at(usage.tres, what.tres);
    if (what.measure == LimitMeasure::tres_run_minutes)
        return model::count_at(usage.tres_run_minutes, what.tres);
    return what.measure == LimitMeasure::submitted_jobs ? usage.submit_jobs : usage.jobs;
}

/// Counts a job that holds resources. The minutes are seconds until all jobs are counted.
void add_resources(Usage& usage, const model::TresCounts& amounts, std::uint64_t seconds) {
    ++usage.jobs;
    usage.tres.resize(std::max(usage.tres.size(), amounts.size()));
    usage.tres_run_minutes.resize(usage.tres.size());
    for (std::size_t tres = 0; tres < amounts.size(); ++tres) {
        usage.tres[tres] += amounts[tres];
        usage.tres_run_minutes[tres] =
            saturated_sum(usage.tres_run_minutes[tres], saturated_product(amounts[tres], seconds));
    }
}

Counters count_all(std::span<const CountedJob> jobs, std::optional<std::size_t> node, bool at_most) {
    Counters counters;
    std::map<Counter, std::vector<NodeRange>> nodes;
    for (const CountedJob& job : jobs) {
        const model::TresCounts& amounts = at_most && !job.most_tres.empty() ? job.most_tres : job.tres;
        for (const Counter& counter : counters_of(job, at_most)) {
            Usage& usage = counters[counter];
            usage.submit_jobs += job.submitted;
            if (!job.holds_resources) continue;
            add_resources(usage, amounts, at_most ? job.most_seconds : job.least_seconds);
            std::vector<NodeRange>& all = nodes[counter];
            all.insert(all.end(), job.nodes.begin(), job.nodes.end());
        }
    }
    for (auto& [counter, ranges] : nodes) {
        Usage& usage = counters[counter];
        for (std::uint64_t& minutes : usage.tres_run_minutes)
            minutes /= 60;
        if (node && *node < usage.tres.size()) usage.tres[*node] = count_distinct(std::move(ranges));
    }
    return counters;
}

} // namespace

CounterRange recount(std::span<const CountedJob> jobs, std::optional<std::size_t> node) {
    return {.least = count_all(jobs, node, /*at_most=*/false),
            .most = count_all(jobs, node, /*at_most=*/true)};
}

std::vector<CountedAmount> CounterComparison::amounts_of(std::initializer_list<const Counters*> all) const {
    std::set<Counter> counters;
    for (const Counters* each : all)
        for (const auto& [counter, usage] : *each)
            counters.insert(counter);
    std::vector<CountedAmount> amounts;
    for (const Counter& counter : counters) {
        amounts.push_back({.counter = counter, .measure = LimitMeasure::running_jobs});
        amounts.push_back({.counter = counter, .measure = LimitMeasure::submitted_jobs});
        const bool has_minutes = minutes_ == Minutes::of_all || counter.kind == CounterKind::qos ||
                                 counter.kind == CounterKind::association;
        for (const std::size_t tres : tres_) {
            amounts.push_back({.counter = counter, .measure = LimitMeasure::tres, .tres = tres});
            if (has_minutes)
                amounts.push_back(
                    {.counter = counter, .measure = LimitMeasure::tres_run_minutes, .tres = tres});
        }
    }
    return amounts;
}

bool CounterComparison::settle(const CountedAmount& what, Open& open, const Counters& before,
                               const CounterRange& counted, const Counters& after) {
    const std::uint64_t first = counted_value(before, what);
    const std::uint64_t kept = counted_value(after, what);
    const std::uint64_t least = counted_value(counted.least, what);
    const std::uint64_t most = counted_value(counted.most, what);
    const auto is_counted = [&](std::uint64_t value) { return least <= value && value <= most; };
    if (first != kept) { // it changes
        const bool is_equal = is_counted(first) || is_counted(kept);
        return is_equal && std::exchange(open.was_equal, true);
    }
    if (is_counted(kept)) return true;
    const std::uint64_t nearest = std::clamp(kept, least, most);
    const auto difference = static_cast<std::int64_t>(kept - nearest);
    const bool falls = what.measure == LimitMeasure::tres_run_minutes;
    const std::int64_t same = !falls ? difference : kept < nearest ? -1 : 1;
    if (std::exchange(open.difference, same) != same) return false;
    differences_.push_back({.what = what, .counted = nearest, .kept = kept});
    return true;
}

void CounterComparison::add_round(const Counters& before, const CounterRange& counted,
                                  const Counters& after) {
    const bool is_first = rounds_++ == 0;
    const auto amounts = amounts_of({&before, &counted.least, &counted.most, &after});
    if (is_first) amounts_ = amounts.size();
    for (const CountedAmount& what : amounts) {
        if (is_first) open_.try_emplace(what);
        const auto open = open_.find(what); // none: settled in an earlier round, or it is new
        if (open != open_.end() && settle(what, open->second, before, counted, after)) open_.erase(open);
    }
}

std::vector<CountedAmount> CounterComparison::unsettled() const {
    std::vector<CountedAmount> all;
    for (const auto& [what, open] : open_)
        all.push_back(what);
    return all;
}

std::string headline_of(const CounterComparison& comparison, std::size_t jobs, std::size_t unknown_jobs) {
    const auto count = [](std::size_t number, std::string_view noun) {
        return text::format("{} {}{}", number, noun, number == 1 ? "" : "s");
    };
    const std::size_t differences = comparison.differences().size();
    std::string line = text::format("{} compared with {} of the queue: {}",
                                    count(comparison.compared(), "number"), count(jobs, "record"),
                                    differences == 0 ? "no difference" : count(differences, "difference"));
    std::vector<std::string> left_out;
    if (const std::size_t numbers = comparison.unsettled().size(); numbers > 0)
        left_out.push_back(count(numbers, "number"));
    if (unknown_jobs > 0) left_out.push_back(count(unknown_jobs, "record"));
    if (!left_out.empty()) line += text::format("; {} could not be compared", text::join(left_out, " and "));
    return line;
}

int verify_status_of(const CounterComparison& comparison, std::size_t unknown_jobs) {
    constexpr int differs = 2;
    constexpr int incomplete = 3;
    if (!comparison.differences().empty()) return differs;
    return comparison.is_settled() && unknown_jobs == 0 ? 0 : incomplete;
}

} // namespace qg::report
