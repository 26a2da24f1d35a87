// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include <optional>

namespace qg::cli {

/// The value as JSON; null where there is none.
template <typename Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

} // namespace qg::cli
