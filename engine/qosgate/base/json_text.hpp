// SPDX-License-Identifier: GPL-2.0-or-later
//
// json_text: texts as JSON, for the few files that are written inside slurmctld.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace qg::json {

/// A text as JSON. Its control characters are replaced; what is beyond `max_bytes` is cut off.
std::string quote(std::string_view value, std::size_t max_bytes = 1000);

/// A list of texts as JSON.
std::string quote(std::span<const std::string> values);

/// `null` if there is no number.
template <typename Number>
std::string number(const std::optional<Number>& value) {
    return value ? std::to_string(*value) : "null";
}

} // namespace qg::json
