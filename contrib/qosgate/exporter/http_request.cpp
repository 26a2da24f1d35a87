// SPDX-License-Identifier: GPL-2.0-or-later
#include "http_request.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cstddef>

namespace qg::cli {
namespace {

constexpr std::string_view line_end = "\r\n";

/// Takes the text before a separator from the front, and the separator with it. Nothing if there is none.
std::optional<std::string_view> take_before(std::string_view& rest, char separator) {
    const std::size_t at = rest.find(separator);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view taken = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    return taken;
}

bool is_control(char letter) noexcept {
    const auto byte = static_cast<unsigned char>(letter);
    return (byte < ' ' && letter != '\t') || byte == 0x7f;
}

bool has_blank(std::string_view text) noexcept {
    return text.find_first_of(" \t") != std::string_view::npos;
}

std::optional<HttpRequest> parse_first_line(std::string_view line) {
    const auto method = take_before(line, ' ');
    const auto target = take_before(line, ' ');
    if (!method || method->empty() || !target || !target->starts_with('/')) return std::nullopt;
    if (line != "HTTP/1.0" && line != "HTTP/1.1") return std::nullopt;
    return HttpRequest{.method = *method, .path = target->substr(0, target->find('?'))};
}

} // namespace

std::optional<HttpRequest> HttpRequest::parse(std::string_view head) {
    bool has_host = false;
    std::optional<HttpRequest> request;
    while (!head.empty()) {
        const std::size_t length = std::min(head.find(line_end), head.size());
        std::string_view line = head.substr(0, length);
        head.remove_prefix(std::min(length + line_end.size(), head.size()));
        if (std::ranges::any_of(line, is_control)) return std::nullopt;
        if (!request) {
            request = parse_first_line(line);
            if (!request) return std::nullopt;
            continue;
        }
        const auto name = take_before(line, ':');
        if (!name || name->empty() || has_blank(*name)) return std::nullopt;
        if (!text::iequals(*name, "host")) continue;
        if (has_host) return std::nullopt;
        has_host = true;
        request->host = text::trim(line);
    }
    return request;
}

} // namespace qg::cli
