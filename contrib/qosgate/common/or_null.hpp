// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>

namespace qg::cli {

/// The value as JSON; null where there is none.
template <typename Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

/// The text as JSON; null if it is empty.
inline nlohmann::ordered_json text_or_null(std::string_view text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

} // namespace qg::cli
