// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/passed_values.hpp"

#include <algorithm>
#include <utility>

namespace qg::policy {

void PassedValues::watch_nothing() noexcept {
    for (Combination& combination : combinations_) {
        count(combination);
        combination.rules.clear();
    }
    current_ = place_ = nullptr;
    reads_.clear();
    columns_.clear();
    numbers_.fill(0); // no number of a value, so what is watched later is no part of an older combination
}

void PassedValues::watch(std::span<const FieldRead> reads) noexcept {
    const std::size_t before = reads_.size();
    for (const FieldRead read : reads) {
        if (std::ranges::find(reads_, read) != reads_.end()) continue;
        if (reads_.size() == max_reads) return reads_.resize(before);
        reads_.push_back(read); // there is place for max_reads
    }
}

bool PassedValues::watches(std::span<const FieldRead> reads) const noexcept {
    return std::ranges::all_of(
        reads, [this](FieldRead read) { return std::ranges::find(reads_, read) != reads_.end(); });
}

bool PassedValues::is_of_job(const Combination& combination) const noexcept {
    return std::equal(numbers_.begin(), numbers_.begin() + static_cast<std::ptrdiff_t>(reads_.size()),
                      combination.numbers.begin());
}

void PassedValues::start_job(ValueNumbers& values, const FieldSource& source) noexcept {
    current_ = place_ = nullptr;
    for (std::size_t i = columns_.size(); i < reads_.size(); ++i)
        columns_.push_back(values.column_of(reads_[i])); // there is place for max_reads
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        numbers_[i] = values.of(columns_[i], source);
        if (numbers_[i] == 0) return;
        hash = (hash + numbers_[i]) * 0x9e3779b97f4a7c15u;
    }
    place_ = &combinations_[hash >> 32u & (combinations - 1)];
    if (place_->rules.empty() || !is_of_job(*place_)) return;
    current_ = place_;
    if (++current_->jobs == jobs_at_once) count(*current_);
}

void PassedValues::add(std::size_t rule) noexcept {
    if (place_ == nullptr || rule >= max_rules) return;
    if (current_ == nullptr) { // replaces another
        count(*place_);
        place_->rules.clear();
        place_->numbers = numbers_;
        current_ = place_;
    }
    current_->rules.add(rule);
}

[[gnu::noinline]] void PassedValues::count(Combination& combination) noexcept {
    const std::uint32_t jobs = std::exchange(combination.jobs, 0u);
    if (jobs == 0) return;
    for (std::size_t rule = 0; rule < max_rules; ++rule)
        if (combination.rules.has(rule)) jobs_[rule] += jobs;
}

} // namespace qg::policy
