// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/pass_cache.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace qg::policy {
namespace {

void count(std::uint32_t& times) noexcept {
    if (times < std::numeric_limits<std::uint32_t>::max()) ++times;
}

} // namespace

PassCache::PassCache(const std::vector<bool>& keeps_state) {
    for (const bool keeps : keeps_state)
        rules_.push_back({.may_be_left_out = !keeps});
}

void PassCache::start_job(const FieldSource& source) noexcept {
    constexpr std::uint64_t jobs_between_trials = 4096;
    values_.start_job();
    if (++jobs_ % jobs_between_trials == 0) {
        for (Rule& rule : rules_)
            rule.noted /= 2;
        must_watch_anew_ = true;
    }
    if (must_watch_anew_) watch_worthwhile_lists();
    passed_.start_job(values_, source);
}

bool PassCache::is_worth_it(std::size_t index) const noexcept {
    // Each hit pays for some attempts.
    constexpr std::uint64_t free = 64;
    constexpr std::uint64_t per_hit = 4;
    const Rule& rule = rules_[index];
    return rule.may_be_left_out && rule.noted < free + per_hit * (rule.hits + passed_.jobs(index));
}

[[gnu::noinline]] void PassCache::watch_worthwhile_lists() noexcept {
    must_watch_anew_ = false;
    passed_.watch_nothing();
    for (std::size_t index = 0; index < rules_.size(); ++index)
        for (List& list : rules_[index].lists) {
            if (is_worth_it(index)) passed_.watch(list.reads);
            list.is_watched = passed_.watches(list.reads);
        }
}

bool PassCache::find_numbers(Numbers& numbers, std::span<const FieldRead> reads,
                             const FieldSource& source) noexcept {
    std::size_t place = 0;
    for (const FieldRead read : reads) {
        const Number number = values_.of(read, source);
        if (number == 0) return false;
        numbers[place++] = number;
    }
    return true;
}

std::size_t PassCache::find_job(const List& list, const Numbers& numbers) noexcept {
    const auto width = static_cast<std::ptrdiff_t>(list.reads.size());
    std::size_t job = 0;
    for (auto passed = list.passed.begin(); job < list.view_reads.size(); ++job, passed += width)
        if (std::equal(passed, passed + width, numbers.begin())) break;
    return job;
}

[[gnu::hot]] bool PassCache::knows(std::size_t index, const FieldSource& source,
                                   const ViewSource& view) noexcept {
    if (!is_worth_it(index)) return false;
    Rule& rule = rules_[index];
    for (const List& list : rule.lists) {
        Numbers numbers;
        if (!find_numbers(numbers, list.reads, source)) continue;
        const std::size_t job = find_job(list, numbers);
        if (job == list.view_reads.size()) continue;
        const ViewReads* view_reads = list.view_reads[job].get();
        if (view_reads != nullptr && !view_reads->are_same(view)) continue;
        count(rule.hits);
        if (list.is_watched && view_reads == nullptr) passed_.add(index);
        return true;
    }
    return false;
}

void PassCache::add(List& list, const Numbers& numbers) const {
    std::unique_ptr<const ViewReads> view_reads;
    if (!view_reads_.empty()) view_reads = std::make_unique<const ViewReads>(view_reads_);
    const std::size_t width = list.reads.size();
    std::size_t job = find_job(list, numbers); // known, if `view` gave other values
    if (job == list.view_reads.size() && job == max_jobs) {
        job = list.oldest;
        list.oldest = (list.oldest + 1) % max_jobs;
    }
    if (job == list.view_reads.size()) {
        list.view_reads.reserve(max_jobs);
        list.passed.resize((job + 1) * width);
        list.view_reads.emplace_back(); // there is room
    }
    std::copy_n(numbers.begin(), width, list.passed.begin() + static_cast<std::ptrdiff_t>(job * width));
    list.view_reads[job] = std::move(view_reads);
}

void PassCache::remember(std::size_t index, const FieldReads& reads, const FieldSource& source) noexcept {
    Rule& rule = rules_[index];
    count(rule.noted);
    must_watch_anew_ = must_watch_anew_ || !is_worth_it(index);
    Numbers numbers;
    if (!reads.is_known() || !view_reads_.is_known() || !find_numbers(numbers, reads.all(), source)) return;
    try {
        auto list = std::ranges::find_if(
            rule.lists, [&reads](const List& other) { return std::ranges::equal(other.reads, reads.all()); });
        if (list == rule.lists.end()) {
            if (rule.lists.size() == max_lists) return;
            rule.lists.push_back({{reads.all().begin(), reads.all().end()}});
            list = rule.lists.end() - 1;
            must_watch_anew_ = true;
        }
        add(*list, numbers);
    } catch (...) { // without memory nothing more is remembered
    }
}

} // namespace qg::policy
