// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/value_numbers.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

namespace qg::policy {
namespace {

/// Of values of one kind: equal ones have equal keys. Texts of one key are compared.
std::uint64_t key_of(const Value& value) noexcept {
    if (value.kind != Value::Kind::text) return static_cast<std::uint64_t>(value.integer);
    // Names of jobs mostly differ at the end. Of eight bytes and more, the length has no part in the key.
    const std::string_view end =
        value.text.substr(value.text.size() - std::min<std::size_t>(value.text.size(), 8));
    std::uint64_t key = value.text.size();
    for (const char byte : end)
        key = key << 8u ^ static_cast<unsigned char>(byte);
    return key;
}

} // namespace

ValueNumbers::ValueNumbers() : last_of_(job_fields().size()), numbers_(job_fields().size()) {
    static_assert(sizeof(Last) == 64);
    last_.reserve(job_fields().size());
}

ValueNumbers::Column ValueNumbers::column_of(FieldRead read) noexcept {
    Column column;
    const FieldSpec& field = job_fields()[read.field];
    if (read.use == model::FieldUse::is_set) {
        column.is_set_ = field.is_set;
        return column;
    }
    Last*& last = last_of_[read.field];
    if (last == nullptr) { // there is room for each field
        last_.push_back({.read = field.read, .text = {}, .field = read.field});
        last = &last_.back();
    }
    column.last_ = last;
    return column;
}

ValueNumbers::Number ValueNumbers::find_number(Numbers& numbers, const Value& value) {
    const std::uint64_t key = key_of(value);
    const auto known = std::ranges::find_if(numbers, [&](const Known& one) {
        return one.key == key && one.kind == value.kind && one.text == value.text;
    });
    if (known != numbers.end()) return known->number;
    if (last_number_ == std::numeric_limits<Number>::max()) return 0; // no number stands for two values
    if (numbers.size() == max_values) numbers.clear();
    numbers.push_back(
        {.key = key, .number = last_number_ + 1, .kind = value.kind, .text = std::string(value.text)});
    return ++last_number_;
}

[[gnu::hot, gnu::noinline]] void ValueNumbers::renew(Last& last, Numbers& numbers,
                                                     const Value& value) noexcept {
    try {
        const Number number = find_number(numbers, value);
        last.text = value.text;
        last.kind = value.kind;
        last.integer = value.integer;
        last.number = number;
    } catch (...) { // without memory it has no number
    }
}

[[gnu::hot]] ValueNumbers::Number ValueNumbers::of(Column column, const FieldSource& source) noexcept {
    if (column.is_set_ != nullptr) return Number{column.is_set_(source.request)} + 1;
    Last& last = *column.last_;
    if (last.job == job_) return last.number;
    last.job = job_;
    ErrorText error;
    const Value value = last.read(source, error);
    const bool is_same = value.kind == last.kind && value.integer == last.integer &&
                         (value.kind != Value::Kind::text || value.text == last.text);
    if (last.number != 0 && is_same && error.empty()) return last.number;
    last.number = 0;
    if (error.empty() && value.kind != Value::Kind::other && value.text.size() <= max_text)
        renew(last, numbers_[last.field], value);
    return last.number;
}

} // namespace qg::policy
