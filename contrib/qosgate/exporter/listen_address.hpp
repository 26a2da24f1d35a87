// SPDX-License-Identifier: GPL-2.0-or-later
//
// ListenAddress: where the exporter listens.
#pragma once

#include "qosgate/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace qg::cli {

struct ListenAddress {
    std::string host; ///< a numeric address, IPv6 without brackets
    std::uint16_t port = 0;
    bool is_ipv6 = false;

    /// "127.0.0.1:9817", "[::1]:9817", "localhost:9817"; port 0 is any free port.
    /// Errors: invalid_input, with the text and the spellings allowed.
    static Result<ListenAddress> parse(std::string_view text);

    /// "127.0.0.1:9817", "[::1]:9817"
    [[nodiscard]] std::string text() const;

    /// Whether only this host can reach it.
    [[nodiscard]] bool is_loopback() const noexcept;
};

/// Whether a Host header may name a server on a loopback address: an address or localhost, with a port or
/// without, or nothing. Other names would let a web page that a user of this host visits read the answer.
bool is_local_host_header(std::string_view host) noexcept;

} // namespace qg::cli
