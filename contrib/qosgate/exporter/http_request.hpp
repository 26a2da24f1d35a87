// SPDX-License-Identifier: GPL-2.0-or-later
//
// HttpRequest: the head of a request, as far as an answer from memory needs it.
#pragma once

#include <optional>
#include <string_view>

namespace qg::cli {

/// The parts are views into the text that was parsed.
struct HttpRequest {
    std::string_view method;
    std::string_view path;      ///< as it was sent, without the query
    std::string_view host = {}; ///< empty: there is none

    /// `head` ends before the empty line. Nothing if it is no request of HTTP/1.0 or 1.1 for a path of this
    /// server, if a byte is not allowed, or if it has two hosts.
    static std::optional<HttpRequest> parse(std::string_view head);
};

} // namespace qg::cli
