// SPDX-License-Identifier: GPL-2.0-or-later
#include "listen_address.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>

#include <arpa/inet.h>

namespace qg::cli {
namespace {

bool is_address(const std::string& host, int family) noexcept {
    in6_addr unused{};
    return inet_pton(family, host.c_str(), &unused) == 1;
}

Error wrong_address(std::string_view text, std::string_view why) {
    return {ErrorCode::invalid_input,
            text::format("{}: {}; write ADDRESS:PORT, such as 127.0.0.1:9817 or [::1]:9817",
                         text::quoted(text, 64), why)};
}

/// ":9817", or no text at all.
bool is_port_or_nothing(std::string_view text) noexcept {
    constexpr std::size_t max_bytes = 6;
    if (text.empty()) return true;
    const std::string_view digits = text.substr(1);
    return text.front() == ':' && !digits.empty() && text.size() <= max_bytes &&
           digits.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The part before the port, without brackets.
std::string_view host_part(std::string_view text) noexcept {
    if (text.starts_with('[')) return text.substr(1, text.find(']') - 1);
    return text.substr(0, text.rfind(':'));
}

} // namespace

Result<ListenAddress> ListenAddress::parse(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    const bool has_brackets = text.starts_with('[');
    if (colon == std::string_view::npos || (has_brackets && text.find(']') + 1 != colon))
        return wrong_address(text, "there is no port");
    constexpr std::uint64_t max_port = 65535;
    const auto port = text::parse_unsigned(text.substr(colon + 1));
    if (!port || *port > max_port) return wrong_address(text, "a port is a number up to 65535");
    ListenAddress address{.host = std::string(host_part(text)), .port = static_cast<std::uint16_t>(*port)};
    if (address.host == "localhost" && !has_brackets) address.host = "127.0.0.1";
    address.is_ipv6 = has_brackets;
    if (!is_address(address.host, address.is_ipv6 ? AF_INET6 : AF_INET))
        return wrong_address(text, "that is not an address of this host");
    return address;
}

std::string ListenAddress::text() const {
    return is_ipv6 ? text::format("[{}]:{}", host, port) : text::format("{}:{}", host, port);
}

bool ListenAddress::is_loopback() const noexcept {
    return is_ipv6 ? host == "::1" : host.starts_with("127.");
}

bool is_local_host_header(std::string_view host) noexcept {
    constexpr std::size_t max_bytes = 64; // an address and a port
    if (host.size() > max_bytes) return false;
    if (host.empty()) return true;
    if (host.starts_with('[')) {
        const std::size_t end = std::min(host.find(']'), host.size() - 1);
        return is_port_or_nothing(host.substr(end + 1)) && host[end] == ']' &&
               is_address(std::string(host.substr(1, end - 1)), AF_INET6);
    }
    const std::size_t end = std::min(host.find(':'), host.size());
    const std::string name(host.substr(0, end));
    return is_port_or_nothing(host.substr(end)) &&
           (text::iequals(name, "localhost") || is_address(name, AF_INET));
}

} // namespace qg::cli
