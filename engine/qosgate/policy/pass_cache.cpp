// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/pass_cache.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace qg::policy {

/// The bytes that stand for a rule, a list of reads and the values: equal for equal ones only.
class PassCache::Key {
  public:
    template <typename Number>
    bool add_number(Number number) noexcept {
        return add_bytes(&number, sizeof number);
    }
    bool add(const Value& value) noexcept {
        if (!add_number(value.kind)) return false;
        switch (value.kind) {
        case Value::Kind::nothing:
        case Value::Kind::unlimited: return true;
        case Value::Kind::flag:
        case Value::Kind::integer: return add_number(value.integer);
        case Value::Kind::text:
            return value.text.size() <= max_key &&
                   add_number(static_cast<std::uint16_t>(value.text.size())) &&
                   add_bytes(value.text.data(), value.text.size());
        case Value::Kind::other: break; // a table has no value
        }
        return false;
    }
    [[nodiscard]] std::string_view text() const noexcept { return {bytes_.data(), size_}; }

  private:
    bool add_bytes(const void* bytes, std::size_t count) noexcept {
        if (count > bytes_.size() - size_) return false;
        std::memcpy(bytes_.data() + size_, bytes, count);
        size_ += count;
        return true;
    }

    std::array<char, max_key> bytes_; // only what is added is read
    std::size_t size_ = 0;
};

PassCache::PassCache(const std::vector<bool>& keeps_state) : values_(job_fields().size()) {
    for (const bool keeps : keeps_state)
        rules_.push_back({.may_be_left_out = !keeps});
    passed_.reserve(max_entries);
}

const PassCache::Known& PassCache::value_of(std::size_t field, const FieldSource& source) noexcept {
    Known& known = values_[field];
    if (known.job == job_) return known;
    ErrorText error;
    known.value = job_fields()[field].read(source, error);
    known.is_readable = error.empty();
    known.job = job_;
    return known;
}

bool PassCache::make_key(Key& key, std::size_t rule, std::size_t list, const FieldSource& source) noexcept {
    if (!key.add_number(static_cast<std::uint16_t>(rule)) || !key.add_number(static_cast<std::uint8_t>(list)))
        return false;
    for (const FieldRead read : rules_[rule].lists[list]) {
        if (read.use == model::FieldUse::is_set) {
            if (!key.add_number(job_fields()[read.field].is_set(source.request))) return false;
            continue;
        }
        const Known& known = value_of(read.field, source);
        if (!known.is_readable || !key.add(known.value)) return false;
    }
    return true;
}

bool PassCache::knows(std::size_t rule, const FieldSource& source) noexcept {
    Rule& own = rules_[rule];
    for (std::size_t list = 0; list < own.lists.size(); ++list) {
        Key key;
        if (!make_key(key, rule, list, source) || !passed_.contains(key.text())) continue;
        if (own.hits < std::numeric_limits<std::uint32_t>::max()) ++own.hits;
        return true;
    }
    return false;
}

bool PassCache::wants(std::size_t rule) const noexcept {
    // A rule that looks at what differs from job to job is not worth it: each hit pays for some attempts.
    constexpr std::uint64_t free = 64;
    constexpr std::uint64_t per_hit = 4;
    const Rule& own = rules_[rule];
    return own.may_be_left_out && own.kept < free + per_hit * own.hits;
}

void PassCache::remember(std::size_t rule, const FieldReads& reads, const FieldSource& source) noexcept {
    Rule& own = rules_[rule];
    if (own.kept < std::numeric_limits<std::uint32_t>::max()) ++own.kept;
    if (!reads.is_known()) return;
    try {
        auto list = std::ranges::find_if(
            own.lists, [&reads](const auto& other) { return std::ranges::equal(other, reads.all()); });
        if (list == own.lists.end()) {
            if (own.lists.size() == max_lists) return;
            own.lists.emplace_back(reads.all().begin(), reads.all().end());
            list = own.lists.end() - 1;
        }
        Key key;
        if (!make_key(key, rule, static_cast<std::size_t>(list - own.lists.begin()), source)) return;
        if (passed_.size() >= max_entries) passed_.clear();
        passed_.emplace(key.text());
    } catch (...) { // without memory nothing more is remembered
    }
}

} // namespace qg::policy
