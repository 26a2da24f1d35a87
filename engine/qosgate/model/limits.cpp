// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/limits.hpp"

#include "qosgate/base/check.hpp"
#include "qosgate/base/text.hpp"

namespace qg::model {
namespace {

constexpr std::array<std::string_view, tres_limit_count> tres_limit_names{
    "MaxTRESPerJob",         "MaxTRESPerNode", "MaxTRESPerUser",
    "MaxTRESPerAccount",     "GrpTRES",        "MaxTRESMinsPerJob",
    "GrpTRESMins",           "GrpTRESRunMins", "MaxTRESRunMinsPerAccount",
    "MaxTRESRunMinsPerUser", "MinTRESPerJob",
};

constexpr std::array<std::string_view, count_limit_count> count_limit_names{
    "GrpJobs",       "MaxJobs",       "MaxJobsPerUser",       "MaxJobsPerAccount",
    "GrpSubmitJobs", "MaxSubmitJobs", "MaxSubmitJobsPerUser", "MaxSubmitJobsPerAccount",
    "MaxWall",       "GrpWall",
};

template <typename Limit, std::size_t N>
std::optional<Limit> find_in(const std::array<std::string_view, N>& names, std::string_view name) noexcept {
    for (std::size_t i = 0; i < N; ++i)
        if (text::iequals(names[i], name)) return static_cast<Limit>(i);
    return std::nullopt;
}

} // namespace

std::string_view name_of(TresLimit limit) noexcept {
    return tres_limit_names[static_cast<std::size_t>(limit)];
}
std::string_view name_of(CountLimit limit) noexcept {
    return count_limit_names[static_cast<std::size_t>(limit)];
}

std::optional<TresLimit> find_tres_limit(std::string_view name) noexcept {
    return find_in<TresLimit>(tres_limit_names, name);
}

std::optional<CountLimit> find_count_limit(std::string_view name) noexcept {
    return find_in<CountLimit>(count_limit_names, name);
}

void Limits::add_row(TresLimit limit) {
    constexpr std::size_t usual_rows = 4;
    const std::size_t length = words() + tres_count_;
    if (tres_.empty()) tres_.reserve(usual_rows * length);
    row_of_[index(limit)] = static_cast<std::uint8_t>(tres_.size() / length);
    tres_.resize(tres_.size() + words());
    tres_.resize(tres_.size() + tres_count_, unset);
    set_ += limit;
}

void Limits::set(TresLimit limit, std::size_t tres, std::uint64_t value) {
    QG_CHECK(tres < tres_count_);
    if (!has_any(limit)) {
        if (value == unset) return;
        add_row(limit);
    }
    const std::uint64_t bit = std::uint64_t{1} << (tres % 64);
    std::uint64_t& set_in_word = tres_[row(limit) + tres / 64];
    tres_[row(limit) + words() + tres] = value;
    if (value == unset)
        set_in_word &= ~bit;
    else
        set_in_word |= bit;
}

} // namespace qg::model
