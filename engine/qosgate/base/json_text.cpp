// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/json_text.hpp"

#include "qosgate/base/text.hpp"

#include <vector>

namespace qg::json {

std::string quote(std::string_view value, std::size_t max_bytes) {
    std::string quoted = "\"";
    for (const char letter : text::printable(value, max_bytes)) {
        if (letter == '"' || letter == '\\') quoted += '\\';
        quoted += letter;
    }
    return quoted + "\"";
}

std::string quote(std::span<const std::string> values) {
    std::vector<std::string> quoted;
    for (const std::string& value : values)
        quoted.push_back(quote(value));
    return text::format("[{}]", text::join(quoted, ", "));
}

} // namespace qg::json
