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

std::optional<std::size_t> PassCache::place_of(const List& list, const Numbers& numbers,
                                               std::uint32_t user) noexcept {
    const auto width = static_cast<std::ptrdiff_t>(list.reads.size());
    auto passed = list.passed.begin();
    for (std::size_t place = 0; place < list.views.size(); ++place, passed += width) {
        const PassedView& view = list.views[place];
        const bool is_of_user = view.reads == nullptr || view.user == user;
        if (is_of_user && std::equal(passed, passed + width, numbers.begin())) return place;
    }
    return std::nullopt;
}

[[gnu::hot]] bool PassCache::knows(std::size_t index, const FieldSource& source,
                                   const ViewSource& view) noexcept {
    if (!is_worth_it(index)) return false;
    Rule& rule = rules_[index];
    for (const List& list : rule.lists) {
        Numbers numbers;
        if (!find_numbers(numbers, list.reads, source)) continue;
        const auto place = place_of(list, numbers, source.request.user_id);
        if (!place) continue;
        const ViewReads* view_reads = list.views[*place].reads.get();
        if (view_reads != nullptr && !view_reads->are_same(view)) {
            count(rule.noted);
            continue;
        }
        count(rule.hits);
        if (list.is_watched && view_reads == nullptr) passed_.add(index);
        return true;
    }
    return false;
}

void PassCache::add(List& list, const Numbers& numbers, std::uint32_t user) const {
    PassedView view{.user = user};
    if (!view_reads_.empty()) view.reads = std::make_unique<const ViewReads>(view_reads_);
    const std::size_t width = list.reads.size();
    auto place = place_of(list, numbers, user); // known, if `view` gave other values
    if (!place && list.views.size() == max_jobs) {
        place = list.oldest;
        list.oldest = (list.oldest + 1) % max_jobs;
    }
    if (!place) {
        place = list.views.size();
        list.views.reserve(max_jobs);
        list.passed.resize((*place + 1) * width);
        list.views.emplace_back(); // there is room
    }
    std::copy_n(numbers.begin(), width, list.passed.begin() + static_cast<std::ptrdiff_t>(*place * width));
    list.views[*place] = std::move(view);
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
        add(*list, numbers, source.request.user_id);
    } catch (...) { // without memory nothing more is remembered
    }
}

} // namespace qg::policy
