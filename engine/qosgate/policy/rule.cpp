// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/rule.hpp"

#include <array>

namespace qg::policy {
namespace {

template <typename Enum, std::size_t count>
std::optional<Enum> find_by_name(const std::array<Enum, count>& values, std::string_view text) noexcept {
    for (const Enum value : values)
        if (to_string(value) == text) return value;
    return std::nullopt;
}

} // namespace

std::string_view to_string(RuleMode mode) noexcept {
    switch (mode) {
    case RuleMode::enforce: return "enforce";
    case RuleMode::warn: return "warn";
    case RuleMode::shadow: return "shadow";
    }
    return "enforce";
}

std::string_view to_string(OnError on_error) noexcept {
    switch (on_error) {
    case OnError::deny: return "deny";
    case OnError::allow: return "allow";
    case OnError::warn: return "warn";
    }
    return "deny";
}

std::optional<RuleMode> parse_rule_mode(std::string_view text) noexcept {
    return find_by_name(std::array{RuleMode::enforce, RuleMode::warn, RuleMode::shadow}, text);
}

std::optional<OnError> parse_on_error(std::string_view text) noexcept {
    return find_by_name(std::array{OnError::deny, OnError::allow, OnError::warn}, text);
}

} // namespace qg::policy
