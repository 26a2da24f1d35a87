// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/decision_results.hpp"

#include <algorithm>
#include <vector>

namespace qg::plugin {

void DecisionResults::count(const model::Decision& decision,
                            std::chrono::steady_clock::duration took) noexcept {
    const auto nanoseconds = static_cast<std::uint64_t>(
        std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count(), 0));
    constexpr std::uint64_t per_microsecond = 1000;
    const auto place = std::ranges::find_if(
        bounds, [&](std::uint64_t bound) { return nanoseconds <= bound * per_microsecond; });
    times_[static_cast<std::size_t>(place - bounds.begin())].fetch_add(1, std::memory_order_relaxed);
    nanoseconds_.fetch_add(nanoseconds, std::memory_order_relaxed);
    if (decision.events.empty()) [[likely]]
        return;
    try {
        const std::scoped_lock lock(mutex_);
        for (const model::DecisionEvent& event : decision.events)
            count_event(event);
    } catch (...) {
        // No memory: these are not counted.
        return;
    }
}

[[gnu::cold]] void DecisionResults::count_event(const model::DecisionEvent& event) {
    auto key = std::tuple(event.rule, event.file, event.reason, std::string(event.effect),
                          std::string(event.outcome));
    const auto found = results_.find(key);
    if (found != results_.end())
        ++found->second;
    else if (results_.size() < max_kinds)
        results_.emplace(std::move(key), 1);
    else
        ++others_;
}

json::Members DecisionResults::to_json() const {
    std::vector<std::string> limits, counts, results;
    for (const std::uint32_t bound : bounds)
        limits.push_back(std::to_string(bound));
    for (const auto& count : times_)
        counts.push_back(std::to_string(count.load()));
    json::Members times;
    times.add("bounds_us", json::list(limits));
    times.add("counts", json::list(counts));
    times.add_number("sum_us", nanoseconds_.load() / 1000);

    const std::scoped_lock lock(mutex_);
    for (const auto& [key, count] : results_) {
        const auto& [rule, file, reason, effect, outcome] = key;
        json::Members members;
        members.add_text("effect", effect);
        members.add_or_null("rule", rule);
        members.add_or_null("file", file);
        members.add_or_null("reason", reason);
        members.add_or_null("outcome", outcome);
        members.add_number("count", count);
        results.push_back(members.object());
    }
    json::Members members;
    members.add("decision_times", times.object());
    members.add("results", json::list(results));
    members.add_number("other_results", others_);
    return members;
}

} // namespace qg::plugin
