// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/limits.hpp"

#include "qosgate/base/check.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace qg::model {
namespace {

/// The limit with this name in these rows.
template <typename Limit>
std::optional<Limit> find_in(std::span<const LimitFacts> rows, std::string_view name) noexcept {
    const auto found =
        std::ranges::find_if(rows, [name](const LimitFacts& row) { return text::iequals(row.name, name); });
    return found == rows.end() ? std::nullopt : std::optional(*std::get_if<Limit>(&found->limit));
}

} // namespace

std::string_view name_of(TresLimit limit) noexcept {
    return facts_of(limit).name;
}
std::string_view name_of(CountLimit limit) noexcept {
    return facts_of(limit).name;
}
std::string_view name_of(const LimitId& limit) noexcept {
    return facts_of(limit).name;
}

std::optional<TresLimit> find_tres_limit(std::string_view name) noexcept {
    return find_in<TresLimit>(std::span(limit_facts).first(tres_limit_count), name);
}

std::optional<CountLimit> find_count_limit(std::string_view name) noexcept {
    return find_in<CountLimit>(std::span(limit_facts).subspan(tres_limit_count), name);
}

/// Allocates that many rows, not shared with other objects.
void Limits::reserve_rows(std::size_t count) {
    if (count <= row_capacity_ && rows_.use_count() == 1) return;
    constexpr std::size_t usual_rows = 4;
    const std::size_t capacity = count <= usual_rows ? usual_rows : tres_limit_count;
#ifdef __cpp_lib_smart_ptr_for_overwrite // not in g++ 11's library
    auto rows = std::make_shared_for_overwrite<std::uint64_t[]>(capacity * row_size());
#else
    auto rows = std::shared_ptr<std::uint64_t[]>(new std::uint64_t[capacity * row_size()]);
#endif
    std::copy_n(rows_.get(), row_count_ * row_size(), rows.get());
    rows_ = std::move(rows);
    row_capacity_ = static_cast<std::uint8_t>(capacity);
}

void Limits::add_row(TresLimit limit) {
    reserve_rows(row_count_ + 1u);
    row_of_[index(limit)] = row_count_++;
    std::fill_n(&rows_[row(limit)], words(), 0);
    std::fill_n(&rows_[row(limit) + words()], tres_count_, unset);
    set_ += limit;
}

void Limits::set(TresLimit limit, std::size_t tres, std::uint64_t value) {
    QG_CHECK(tres < tres_count_);
    if (!has_any(limit)) {
        if (value == unset) return;
        add_row(limit);
    }
    reserve_rows(row_count_);
    const std::uint64_t bit = std::uint64_t{1} << (tres % 64);
    std::uint64_t& set_in_word = rows_[row(limit) + tres / 64];
    rows_[row(limit) + words() + tres] = value;
    if (value == unset)
        set_in_word &= ~bit;
    else
        set_in_word |= bit;
}

} // namespace qg::model
