// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/pass_cache.hpp"

#include <algorithm>
#include <limits>

namespace qg::policy {
namespace {

/// Whether a value is the one that was kept, with its text elsewhere.
bool is_same(const Value& value, const Value& kept, const std::string& kept_text) noexcept {
    return value.kind == kept.kind && value.integer == kept.integer &&
           (value.kind != Value::Kind::text || value.text == kept_text);
}

/// The bytes of a value; different ones for different values.
std::string written(const Value& value) {
    std::string bytes(1, static_cast<char>(value.kind));
    return bytes +
           (value.kind == Value::Kind::text ? std::string(value.text) : std::to_string(value.integer));
}

void count(std::uint32_t& times) noexcept {
    if (times < std::numeric_limits<std::uint32_t>::max()) ++times;
}

} // namespace

PassCache::PassCache(const std::vector<bool>& keeps_state) : fields_(job_fields().size()) {
    for (const bool keeps : keeps_state)
        rules_.push_back({.may_be_left_out = !keeps});
}

PassCache::Number PassCache::find_number(Field& field, const Value& value) {
    const std::string bytes = written(value);
    if (const auto known = field.numbers.find(bytes); known != field.numbers.end()) return known->second;
    if (last_number_ == std::numeric_limits<Number>::max()) return 0; // no number stands for two values
    if (field.numbers.size() >= max_values) field.numbers.clear();
    field.numbers.emplace(bytes, last_number_ + 1);
    return ++last_number_;
}

PassCache::Number PassCache::number_of(std::size_t index, const FieldSource& source) noexcept {
    Field& field = fields_[index];
    if (field.job == job_) return field.number;
    ErrorText error;
    const Value value = job_fields()[index].read(source, error);
    const bool had_number = field.number != 0;
    field.job = job_;
    if (had_number && error.empty() && is_same(value, field.value, field.text)) return field.number;
    field.number = 0;
    if (!error.empty() || value.kind == Value::Kind::other || value.text.size() > max_text) return 0;
    try {
        const Number number = find_number(field, value);
        field.text = value.text;
        field.value = {value.kind, value.integer, {}};
        field.number = number;
    } catch (...) { // without memory it has no number
    }
    return field.number;
}

bool PassCache::find_numbers(Numbers& numbers, std::span<const FieldRead> reads,
                             const FieldSource& source) noexcept {
    std::size_t place = 0;
    for (const FieldRead read : reads) {
        const bool is_asked = read.use == model::FieldUse::is_set;
        const Number number = is_asked ? Number{job_fields()[read.field].is_set(source.request)} + 1
                                       : number_of(read.field, source);
        if (number == 0) return false;
        numbers[place++] = number;
    }
    return true;
}

bool PassCache::knows(std::size_t index, const FieldSource& source) noexcept {
    Rule& rule = rules_[index];
    if (!is_worth_it(rule)) return false;
    for (List& list : rule.lists) {
        Numbers numbers;
        const std::size_t width = list.reads.size();
        if (!find_numbers(numbers, list.reads, source)) continue;
        bool is_known = width == 0;
        for (auto job = list.passed.begin(); !is_known && job != list.passed.end();
             job += static_cast<std::ptrdiff_t>(width))
            is_known = std::equal(job, job + static_cast<std::ptrdiff_t>(width), numbers.begin());
        if (!is_known) continue;
        count(rule.hits);
        return true;
    }
    return false;
}

void PassCache::start_job() noexcept {
    constexpr std::uint64_t jobs_between_trials = 4096;
    if (++job_ % jobs_between_trials != 0) return;
    for (Rule& rule : rules_)
        rule.noted /= 2;
}

bool PassCache::is_worth_it(const Rule& rule) noexcept {
    // Each hit pays for some attempts.
    constexpr std::uint64_t free = 64;
    constexpr std::uint64_t per_hit = 4;
    return rule.may_be_left_out && rule.noted < free + per_hit * rule.hits;
}

void PassCache::add(List& list, const Numbers& numbers) {
    const std::size_t width = list.reads.size();
    const auto begin = numbers.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(width);
    if (list.passed.size() < max_jobs * width) {
        list.passed.insert(list.passed.end(), begin, end);
    } else {
        std::copy(begin, end, list.passed.begin() + static_cast<std::ptrdiff_t>(list.oldest * width));
        list.oldest = (list.oldest + 1) % max_jobs;
    }
}

void PassCache::remember(std::size_t index, const FieldReads& reads, const FieldSource& source) noexcept {
    Rule& rule = rules_[index];
    count(rule.noted);
    Numbers numbers;
    if (!reads.is_known() || !find_numbers(numbers, reads.all(), source)) return;
    try {
        auto list = std::ranges::find_if(
            rule.lists, [&reads](const List& other) { return std::ranges::equal(other.reads, reads.all()); });
        if (list == rule.lists.end()) {
            if (rule.lists.size() == max_lists) return;
            rule.lists.push_back({{reads.all().begin(), reads.all().end()}});
            list = rule.lists.end() - 1;
        }
        add(*list, numbers);
    } catch (...) { // without memory nothing more is remembered
    }
}

} // namespace qg::policy
